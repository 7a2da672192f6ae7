/* SPDX-License-Identifier: MIT */
#include "tools/uploads/uploads.h"

#include "core/text/path_text.h"
#include "tools/output/stderr.h"
#include "tools/uploads/journal_folders.h"
#include "tools/uploads/journal_upload.h"
#include "tools/uploads/wandb_folders.h"
#include "tools/uploads/wandb_upload.h"

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
