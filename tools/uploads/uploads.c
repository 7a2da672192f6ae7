/* SPDX-License-Identifier: MIT */
#include "tools/uploads/uploads.h"

#include "config.h"
#include "core/clock/now.h"
#include "core/text/parts.h"
#include "core/text/path_text.h"
#include "core/text/vec.h"
#include "sinks/mlflow/upload/run_upload.h"
#include "tools/output/print.h"

#include <stepwatch/wandb.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the list -------------------------------------------------------------------------------- */

/* Adds the first `size` bytes of a path. Returns how many it has added, 1, or SW_ENOMEM. */
static int runs_add(struct runs *runs, const char *path, size_t size, struct sw_error *err)
{
    bool fits = swi_vec_room(&runs->path, runs->count, sizeof *runs->path);
    char *copy = fits ? strndup(path, size) : NULL;
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory for its path", path);
    runs->path[runs->count++] = copy;
    return 1;
}

void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        free(runs->path[i]);
    free(runs->path);
    *runs = (struct runs){0};
}

/* Adds what a function adds for each entry of a folder, by the order of their names. Returns how
 * many, or a negative code. */
static int add_each(struct runs *runs, const char *folder, int (*filter)(const struct dirent *),
                    int (*add)(struct runs *runs, const char *path, struct sw_error *err),
                    struct sw_error *err)
{
    struct dirent **list;
    int found = 0, count = scandir(folder, &list, filter, alphasort);
    if (count < 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[8192];
        snprintf(path, sizeof path, "%.7000s/%s", folder, list[i]->d_name);
        int rc = found >= 0 ? add(runs, path, err) : 0;
        found = rc < 0 ? rc : found + rc;
        free(list[i]);
    }
    free(list);
    return found;
}

/* ---- of MLflow ------------------------------------------------------------------------------- */

static const char journal[] = "/journal.jsonl";

/* Returns whether this is the folder of a run of the sink mlflow. */
static bool journal_folder_is(const char *path)
{
    char file[4096 + sizeof journal];
    struct stat status;
    snprintf(file, sizeof file, "%.4096s%s", path, journal);
    return stat(file, &status) == 0 && S_ISREG(status.st_mode);
}

static int is_run(const struct dirent *entry)
{
    return swi_begins(entry->d_name, "run-");
}

static int add_journal(struct runs *runs, const char *path, struct sw_error *err)
{
    return journal_folder_is(path) ? runs_add(runs, path, strlen(path), err) : 0;
}

/* Names of run folders begin with the time, so that they sort by it. What is not a folder has none.
 */
static int add_below(struct runs *runs, const char *folder, struct sw_error *err)
{
    int found = add_each(runs, folder, is_run, add_journal, err);
    if (found != SW_EIO)
        return found;
    sw_error_free(err);
    return 0;
}

/* Finds runs of the sink mlflow, DIR/mlflow/run-TIME-UID/journal.jsonl: adds the folders of the
 * runs of a journal, of a run's folder, of a folder of runs, or of a folder that contains one named
 * mlflow, the oldest first. Returns how many, or a negative code. */
static int journal_folders_add(struct runs *runs, const char *path, struct sw_error *err)
{
    char below[4096];
    size_t size = strlen(path), end = strlen(journal);
    if (size > end && swi_ends(path, journal))
        return runs_add(runs, path, size - end, err);
    if (journal_folder_is(path))
        return runs_add(runs, path, size, err);
    int found = add_below(runs, path, err);
    snprintf(below, sizeof below, "%.4000s/mlflow", path);
    return found != 0 ? found : add_below(runs, below, err);
}

/* ---- of wandb -------------------------------------------------------------------------------- */

static int is_log(const struct dirent *entry)
{
    return swi_begins(entry->d_name, "run-") && strlen(entry->d_name) > strlen("run-.wandb") &&
           swi_ends(entry->d_name, ".wandb");
}

/* Skips the link latest-run: its run is listed under its own name. */
static int is_folder(const struct dirent *entry)
{
    return swi_begins(entry->d_name, "run-") || swi_begins(entry->d_name, "offline-run-");
}

static int add_log(struct runs *runs, const char *path, struct sw_error *err)
{
    return runs_add(runs, path, strlen(path), err);
}

static int add_folder(struct runs *runs, const char *path, struct sw_error *err)
{
    struct stat status;
    bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    return folder ? add_each(runs, path, is_log, add_log, err) : 0;
}

/* Tries a run, a folder of runs, and finally a folder that contains one. Names of run folders begin
 * with a word and the time, so that within each word they sort by time. */
static int add_any(struct runs *runs, const char *folder, struct sw_error *err)
{
    char below[4096];
    struct stat status;
    int found = add_each(runs, folder, is_log, add_log, err);
    if (found == 0)
        found = add_each(runs, folder, is_folder, add_folder, err);
    snprintf(below, sizeof below, "%s/wandb", folder);
    if (found == 0 && stat(below, &status) == 0)
        found = add_each(runs, below, is_folder, add_folder, err);
    return found;
}

/* Finds runs of wandb, DIR/wandb/…run-TIME-ID/run-ID.wandb: adds those of a .wandb file, of a run's
 * folder, of a folder of runs, or of a folder that contains one named wandb, the oldest first.
 * Returns SW_EINVAL if there is none. */
static int wandb_folders_add(struct runs *runs, const char *path, struct sw_error *err)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return sw_error_set(err, SW_EINVAL, "%s: %s", path, strerror(errno));
    int found = S_ISDIR(status.st_mode) ? add_any(runs, path, err)
                                        : runs_add(runs, path, strlen(path), err);
    if (found == 0)
        return sw_error_set(err, SW_EINVAL,
                            "%s: contains no run of wandb: expected a folder offline-run-… or "
                            "run-…, or a file run-….wandb",
                            path);
    return found < 0 ? found : 0;
}

/* ---- what became of a run -------------------------------------------------------------------- */

struct outcome {
    const char *path;            /* borrowed: where the run is */
    struct sw_wandb_result made; /* also of a run of MLflow, whose rows are -1 */
    int64_t values_sent;         /* of a run of MLflow */
};

/* ---- for people ------------------------------------------------------------------------------ */

static void print_rows(const struct outcome *outcome, bool dry_run)
{
    char rows[TEXT_NUMBER], sent[TEXT_NUMBER];
    printf(", %s rows", text_count(rows, (double)outcome->made.rows));
    if (!dry_run)
        printf(" (%s new)", text_count(sent, (double)outcome->made.rows_sent));
}

static void print_counts(const struct outcome *outcome, bool dry_run)
{
    char values[TEXT_NUMBER];
    if (outcome->made.rows >= 0)
        print_rows(outcome, dry_run);
    else
        printf(", %s values", text_count(values, (double)outcome->values_sent));
    printf(", %" PRId64 " files", outcome->made.files);
    if (outcome->made.files_failed)
        printf(" (%" PRId64 " failed)", outcome->made.files_failed);
}

static void print_end(const struct outcome *outcome)
{
    if (outcome->made.state == SW_WANDB_FINISHED)
        printf(", exit status %d", outcome->made.exit_code);
    else
        printf(outcome->made.state == SW_WANDB_TORN ? ", was killed" : ", still running");
    if (outcome->made.torn_bytes)
        printf(", %" PRId64 " bytes of an unfinished record at the end", outcome->made.torn_bytes);
    if (outcome->made.skipped)
        printf(", %" PRId64 " skipped", outcome->made.skipped);
}

static void print_upload(const struct outcome *outcome, bool dry_run)
{
    fputs(dry_run ? "run " : "", stdout);
    text_shown(stdout, dry_run ? outcome->made.id : outcome->made.url, 0);
    print_counts(outcome, dry_run);
    print_end(outcome);
}

/* Prints a line about a run that did not fail. */
static void outcome_print(const struct outcome *outcome, bool dry_run)
{
    text_shown(stdout, outcome->path, 0);
    fputs(": ", stdout);
    if (outcome->made.state == SW_WANDB_SYNCED)
        fputs("is already uploaded; --again uploads what is missing", stdout);
    else if (outcome->made.state == SW_WANDB_WRITTEN)
        fputs("its program is still writing it; --include-live uploads what exists so far", stdout);
    else
        print_upload(outcome, dry_run);
    putchar('\n');
    fflush(stdout);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static const char *const states[] = {
    [SW_WANDB_FINISHED] = "finished", [SW_WANDB_TORN] = "killed",     [SW_WANDB_LIVE] = "live",
    [SW_WANDB_SYNCED] = "synced",     [SW_WANDB_WRITTEN] = "written",
};

static void counts_set(json_t *object, const struct outcome *outcome)
{
    const struct sw_wandb_result *made = &outcome->made;
    bool rows = made->rows >= 0;
    const struct {
        const char *key;
        int64_t value;
    } counts[] = {{"exit_code", made->exit_code},
                  {rows ? "rows" : "values_sent", rows ? made->rows : outcome->values_sent},
                  {rows ? "rows_sent" : NULL, made->rows_sent},
                  {"files", made->files},
                  {"files_failed", made->files_failed},
                  {"skipped", made->skipped},
                  {"torn_bytes", made->torn_bytes}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].key)
            json_object_set_new(object, counts[i].key, json_integer(counts[i].value));
}

/* Returns the same as an object (docs/command.md), with the error if its code is not 0; NULL if out
 * of memory. */
static json_t *outcome_json(const struct outcome *outcome, const struct sw_error *err)
{
    json_t *object = json_object();
    const char *state = err->code ? "failed" : states[outcome->made.state];
    json_object_set_new(object, "path", text_json(outcome->path));
    json_object_set_new(object, "id", text_json(outcome->made.id));
    json_object_set_new(object, "url", text_json(outcome->made.url));
    json_object_set_new(object, "state", json_string(state));
    counts_set(object, outcome);
    if (err->code)
        json_object_set_new(object, "error", text_json(sw_error_text(err)));
    return object;
}

/* ---- messages of an upload ------------------------------------------------------------------- */

/* Of one run; the `arg` of the functions below. */
struct upload_messages {
    const char *path; /* of the run */
    bool shown;       /* the terminal shows a line of progress */
    int64_t shown_ns; /* when it was last written */
};

enum { BETWEEN_NS = 100000000 };

static void upload_progress_clear(struct upload_messages *messages)
{
    if (messages->shown)
        fputs("\r\033[K", stderr);
    messages->shown = false;
}

/* Shows the progress on a terminal, at most ten times a second. */
static void upload_progress(void *arg, const struct sw_wandb_progress *progress)
{
    struct upload_messages *messages = arg;
    int64_t now_ns = swi_now_ns();
    if (!isatty(STDERR_FILENO) || (messages->shown && now_ns - messages->shown_ns < BETWEEN_NS))
        return;
    double total = (double)progress->bytes_total;
    double share = total > 0 ? (double)progress->bytes / total : 0;
    char percent[TEXT_NUMBER], rows[TEXT_NUMBER];
    fprintf(stderr, "\r\033[K%s read, %s rows sent, %" PRId64 " files", text_share(percent, share),
            text_count(rows, (double)progress->rows_sent), progress->files);
    messages->shown_ns = now_ns;
    messages->shown = true;
}

/* Prints a message of the upload with the path of the run. */
static void upload_message(void *arg, int level, const char *text)
{
    static const char *const levels[] = {"", "warning: ", "error: "};
    struct upload_messages *messages = arg;
    upload_progress_clear(messages);
    say("sync", "%s: %s%s", messages->path, levels[level < 0 || level > 2 ? 2 : level], text);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    interrupted = signal;
}

static bool upload_interrupted(void *arg)
{
    (void)arg;
    return interrupted != 0;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Adds the runs in wandb's folder; none is an error, unless runs of MLflow were found. */
static int wandb_find(struct runs *runs, struct sw_error *err)
{
    const char *set = getenv("WANDB_DIR");
    char parent[4096] = "", folder[4200];
    bool given = set && *set;
    if (given && swi_path_text_of("WANDB_DIR", set, getenv("HOME"), parent, sizeof parent, err) < 0)
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

int uploads_find(struct runs *runs, char *const *paths, size_t count, struct sw_error *err)
{
    if (count == 0)
        return journal_folders_add(runs, "runs/mlflow", err) < 0 ? err->code
                                                                 : wandb_find(runs, err);
    for (size_t i = 0; i < count && err->code == 0; i++)
        if (journal_folders_add(runs, paths[i], err) == 0)
            wandb_folders_add(runs, paths[i], err);
    return err->code;
}

/* ---- runs of MLflow -------------------------------------------------------------------------- */

static const enum sw_wandb_state states_of_journal[] = {
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
    struct sw_wandb_result *made = &outcome->made;
    snprintf(made->id, sizeof made->id, "%s", result->uid);
    snprintf(made->url, sizeof made->url, "%s", result->url);
    made->state = states_of_journal[result->state];
    made->exit_code = result->exit_status;
    made->rows = -1;
    outcome->values_sent = result->points;
    made->files = result->files;
    made->files_failed = result->files_failed;
    made->skipped = result->skipped;
    made->torn_bytes = result->torn_bytes;
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

static int wandb_upload(const struct upload_options *options, struct upload_messages *messages,
                        struct outcome *outcome, struct sw_error *err)
{
    struct sw_wandb_sync sync = options->wandb;
    sync.progress = upload_progress;
    sync.say = upload_message;
    sync.cancelled = upload_interrupted;
    sync.arg = messages;
    int rc = sw_wandb_sync(messages->path, &sync, &outcome->made, err);
    upload_progress_clear(messages);
    return rc;
}

/* ---- uploading ------------------------------------------------------------------------------- */

/* Adds the outcome to `list`, or prints it if there is no list. */
static bool upload_one(const char *path, const struct upload_options *options, json_t *list)
{
    struct upload_messages messages = {.path = path};
    struct outcome outcome = {.path = path, .made = {.size = sizeof outcome.made}};
    SW_ERROR_SCOPE(err);
    int rc = journal_folder_is(path) ? journal_upload(options, &messages, &outcome, &err)
                                     : wandb_upload(options, &messages, &outcome, &err);
    if (rc < 0)
        say_error("sync", &err);
    if (list)
        json_array_append_new(list, outcome_json(&outcome, &err));
    else if (rc >= 0)
        outcome_print(&outcome, options->wandb.dry_run);
    return rc >= 0 && !outcome.made.files_failed;
}

bool uploads_run(const struct runs *runs, const struct upload_options *options, json_t *list)
{
    size_t good = 0;
    /* The first SIGINT or SIGTERM ends the upload, and the second one the program. */
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    for (size_t i = 0; i < runs->count && !upload_interrupted(NULL); i++)
        good += upload_one(runs->path[i], options, list);
    if (upload_interrupted(NULL))
        say("sync", "interrupted; run the command again to continue");
    return good == runs->count;
}
