/* SPDX-License-Identifier: MIT */
#include "tools/uploads/uploads.h"
#include "config.h"

#include "core/text/path_text.h"
#include "sinks/mlflow/upload/journal_sync.h"
#include "tools/output/stderr.h"
#include "tools/uploads/outcome.h"
#include "tools/uploads/upload_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- finding --------------------------------------------------------------------------------- */

/* Adds the runs in wandb's folder; none is an error, unless runs of MLflow were found. */
static int wandb_find(struct runs *runs, struct sw_error *err)
{
    const char *told = getenv("WANDB_DIR");
    char parent[4096] = "", folder[4200];
    bool given = told && *told;
    if (given &&
        swi_path_text_of("WANDB_DIR", told, getenv("HOME"), parent, sizeof parent, err) < 0)
        return err->code;
    int size = snprintf(folder, sizeof folder, "%s%swandb", parent, given ? "/" : "");
    if (size < (int)sizeof folder && access(folder, F_OK) == 0)
        return wandb_folders_add(runs, folder, err);
    if (runs->count > 0)
        return 0;
    return sw_error_set(
        err, SW_EINVAL,
        "found no runs in runs/mlflow, and no folder %s%s: name the run, or the folder of "
        "runs, to upload",
        folder, given ? " (WANDB_DIR)" : "");
}

static int default_find(struct runs *runs, struct sw_error *err)
{
    int found = journal_folders_add(runs, "runs/mlflow", err);
    return found < 0 ? found : wandb_find(runs, err);
}

static int path_find(struct runs *runs, const char *path, struct sw_error *err)
{
    int found = journal_folders_add(runs, path, err);
    return found < 0 ? found : found > 0 ? 0 : wandb_folders_add(runs, path, err);
}

int uploads_find(struct runs *runs, char *const *paths, size_t count, struct sw_error *err)
{
    int rc = count == 0 ? default_find(runs, err) : 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = path_find(runs, paths[i], err);
    return rc;
}

/* ---- runs of MLflow -------------------------------------------------------------------------- */

static const enum sw_wandb_state states[] = {
    [SWI_SYNC_FINISHED] = SW_WANDB_FINISHED, [SWI_SYNC_KILLED] = SW_WANDB_TORN,
    [SWI_SYNC_LIVE] = SW_WANDB_LIVE,         [SWI_SYNC_DONE] = SW_WANDB_SYNCED,
    [SWI_SYNC_WRITTEN] = SW_WANDB_WRITTEN,
};

static const char *environment(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

static void journal_outcome(struct outcome *outcome, const struct swi_sync_result *result)
{
    snprintf(outcome->id, sizeof outcome->id, "%s", result->uid);
    snprintf(outcome->url, sizeof outcome->url, "%s", result->url);
    outcome->state = states[result->state];
    outcome->exit_code = result->exit_status;
    outcome->rows = -1;
    outcome->values_sent = result->points;
    outcome->files = result->files;
    outcome->files_failed = result->files_failed;
    outcome->skipped = result->skipped;
    outcome->torn_bytes = result->torn_bytes;
}

/* Uploads a run of the sink mlflow, and fills the outcome, even on failure. */
static int journal_upload(const struct upload_options *options, struct upload_messages *messages,
                          struct outcome *outcome, struct sw_error *err)
{
    const struct sw_wandb_sync *shared = &options->wandb;
    const struct swi_sync_options sync = {.uri = shared->base_url,
                                          .experiment = options->experiment,
                                          .dry_run = shared->dry_run,
                                          .include_live = shared->include_live,
                                          .again = shared->again,
                                          .fresh = options->fresh,
                                          .timeout_s = shared->timeout_s,
                                          .env = environment,
                                          .say = upload_message,
                                          .ended = upload_interrupted,
                                          .arg = messages};
    struct swi_sync_result result;
    int rc = swi_journal_sync(messages->path, &sync, &result, err);
    if (rc < 0)
        sw_error_prefix(err, "%s", messages->path);
    journal_outcome(outcome, &result);
    return rc;
}

/* ---- runs of wandb --------------------------------------------------------------------------- */

static void wandb_outcome(struct outcome *outcome, const struct sw_wandb_result *result)
{
    snprintf(outcome->id, sizeof outcome->id, "%s", result->id);
    snprintf(outcome->url, sizeof outcome->url, "%s", result->url);
    outcome->state = result->state;
    outcome->exit_code = result->exit_code;
    outcome->rows = result->rows;
    outcome->rows_sent = result->rows_sent;
    outcome->files = result->files;
    outcome->files_failed = result->files_failed;
    outcome->skipped = result->skipped;
    outcome->torn_bytes = result->torn_bytes;
}

static int wandb_upload(const struct upload_options *options, struct upload_messages *messages,
                        struct outcome *outcome, struct sw_error *err)
{
    struct sw_wandb_result result = {.size = sizeof result};
    struct sw_wandb_sync sync = options->wandb;
    sync.progress = upload_progress;
    sync.say = upload_message;
    sync.cancelled = upload_interrupted;
    sync.arg = messages;
    int rc = sw_wandb_sync(messages->path, &sync, &result, err);
    upload_progress_clear(messages);
    wandb_outcome(outcome, &result);
    return rc;
}

/* ---- uploading ------------------------------------------------------------------------------- */

/* Adds the outcome to `list`, or prints it if there is no list. */
static bool upload_one(const char *path, const struct upload_options *options, json_t *list)
{
    struct upload_messages messages = {.path = path};
    struct outcome outcome = {.path = path};
    SW_ERROR_SCOPE(err);
    int rc = journal_folder_is(path) ? journal_upload(options, &messages, &outcome, &err)
                                     : wandb_upload(options, &messages, &outcome, &err);
    if (rc < 0)
        say_error("sync", &err);
    if (list)
        json_array_append_new(list, outcome_json(&outcome, &err));
    else if (rc >= 0)
        outcome_print(&outcome, options->wandb.dry_run);
    return rc >= 0 && !outcome.files_failed;
}

bool uploads_run(const struct runs *runs, const struct upload_options *options, json_t *list)
{
    size_t good = 0;
    upload_signals_catch();
    for (size_t i = 0; i < runs->count && !upload_interrupted(NULL); i++)
        good += upload_one(runs->path[i], options, list);
    if (upload_interrupted(NULL))
        say("sync", "interrupted; run the command again to continue");
    return good == runs->count;
}
