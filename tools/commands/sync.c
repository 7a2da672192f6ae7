/* SPDX-License-Identifier: MIT */
/* stepwatch sync - uploads runs of the sinks wandb and mlflow. */
#include "config.h"
#include "core/clock/now.h"
#include "tools/commands/arguments.h"
#include "tools/output/stderr.h"
#include "tools/commands/commands.h"

#include <stepwatch/wandb.h>

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_SEND
#include "sinks/mlflow/upload/journal_sync.h"
#include "tools/log/report_json.h"
#include "tools/commands/journal_folders.h"
#include "tools/commands/wandb_folders.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#endif

static const char help[] =
    "usage: stepwatch sync [--dry-run] [--include-live] [--again] [--json] [PATH...]\n\n"
    "Uploads runs that the sinks wandb and mlflow, or wandb's own SDK, have written.\n"
    "PATH is the folder of a run, its .wandb file or journal.jsonl, or a folder of\n"
    "runs (default: ./wandb, or WANDB_DIR/wandb, and ./runs/mlflow). However often you\n"
    "upload a run, each value is stored once. A run that is uploaded completely is\n"
    "skipped next time. The API key of wandb comes from WANDB_API_KEY, netrc or\n"
    "wandb's settings files; the address and the login of MLflow come from its own\n"
    "variables (MLFLOW_TRACKING_URI, ...) and ~/.mlflow/credentials. Prints the\n"
    "address of each run's page.\n\n"
    "  --dry-run        show what would be uploaded, and send nothing; needs no key\n"
    "  --include-live   also upload what exists of a run that is still being written\n"
    "  --again          also upload runs that are marked as uploaded\n"
    "  --json           print what was done as JSON\n"
    "  --base-url URL   address of the service (default: WANDB_BASE_URL, or wandb's\n"
    "                   settings files; MLFLOW_TRACKING_URI)\n"
    "  --experiment NAME  experiment in MLflow (default: as in the run)\n"
    "  --new            create a run in MLflow even if it may exist there already\n"
    "  --entity NAME    user or team (default: as in the run)\n"
    "  --project NAME   project (default: as in the run)\n"
    "  --run-id ID      id of the run, if PATH is one run (default: as in the run)\n"
    "  --timeout S      give up on a run after this many seconds (default: never)\n";

/* What is asked for. */
struct wanted {
    struct sw_wandb_sync wandb;
    const char *experiment;
    bool fresh;
};

#ifdef HAVE_SEND

/* The state of an upload's messages. */
struct upload {
    const char *path;
    bool shown;       /* the terminal shows a line of progress */
    int64_t shown_ns; /* when it was last written */
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    interrupted = signal;
}

/* ---- while it runs ------------------------------------------------------------------------------
 */

static void progress_clear(struct upload *upload)
{
    if (upload->shown)
        fputs("\r\033[K", stderr);
    upload->shown = false;
}

/* Prints progress ten times a second, only on a terminal. */
static void progress(void *arg, const struct sw_wandb_progress *p)
{
    struct upload *upload = arg;
    int64_t now_ns = swi_now_ns();
    if (!isatty(STDERR_FILENO) || (upload->shown && now_ns - upload->shown_ns < 100000000))
        return;
    double share = p->bytes_total > 0 ? (double)p->bytes / (double)p->bytes_total : 0;
    char percent[TEXT_NUMBER], rows[TEXT_NUMBER];
    fprintf(stderr, "\r\033[K%s read, %s rows sent, %" PRId64 " files", text_share(percent, share),
            text_count(rows, (double)p->rows_sent), p->files);
    upload->shown_ns = now_ns;
    upload->shown = true;
}

static void told(void *arg, int level, const char *text)
{
    static const char *const levels[] = {"", "warning: ", "error: "};
    struct upload *upload = arg;
    progress_clear(upload);
    say("sync", "%s: %s%s", upload->path, levels[level < 0 || level > 2 ? 2 : level], text);
}

static bool cancelled(void *arg)
{
    (void)arg;
    return interrupted != 0;
}

/* ---- what came of it ----------------------------------------------------------------------------
 */

static const char *const states[] = {
    [SW_WANDB_FINISHED] = "finished", [SW_WANDB_TORN] = "killed",     [SW_WANDB_LIVE] = "live",
    [SW_WANDB_SYNCED] = "synced",     [SW_WANDB_WRITTEN] = "written",
};

static void print_counts(const struct sw_wandb_result *result, bool dry_run)
{
    char rows[TEXT_NUMBER], sent[TEXT_NUMBER];
    printf(", %s rows", text_count(rows, (double)result->rows));
    if (!dry_run)
        printf(" (%s new)", text_count(sent, (double)result->rows_sent));
    printf(", %" PRId64 " files", result->files);
    if (result->files_failed)
        printf(" (%" PRId64 " failed)", result->files_failed);
}

static void print_state(const struct sw_wandb_result *result)
{
    switch (result->state) {
    case SW_WANDB_FINISHED:
        printf(", exit status %d", result->exit_code);
        break;
    case SW_WANDB_TORN:
        printf(", was killed");
        break;
    default:
        printf(", still running");
    }
    if (result->torn_bytes)
        printf(", %" PRId64 " bytes of an unfinished record at the end", result->torn_bytes);
}

static void print_line(const char *path, const struct sw_wandb_result *result, bool dry_run)
{
    text_shown(stdout, path, 0);
    fputs(": ", stdout);
    if (result->state == SW_WANDB_SYNCED)
        printf("is already uploaded; --again uploads what is missing");
    else if (result->state == SW_WANDB_WRITTEN)
        printf("its program is still writing it; --include-live uploads what exists so far");
    else {
        text_shown(stdout, dry_run ? "run " : "", 0);
        text_shown(stdout, dry_run ? result->id : result->url, 0);
        print_counts(result, dry_run);
        print_state(result);
    }
    putchar('\n');
    fflush(stdout);
}

static json_t *result_json(const char *path, const struct sw_wandb_result *result,
                           const struct sw_error *err)
{
    json_t *object = json_object();
    json_object_set_new(object, "path", text_json(path));
    json_object_set_new(object, "id", text_json(result->id));
    json_object_set_new(object, "url", text_json(result->url));
    json_object_set_new(object, "state", json_string(err->code ? "failed" : states[result->state]));
    json_object_set_new(object, "exit_code", json_integer(result->exit_code));
    json_object_set_new(object, "rows", json_integer(result->rows));
    json_object_set_new(object, "rows_sent", json_integer(result->rows_sent));
    json_object_set_new(object, "files", json_integer(result->files));
    json_object_set_new(object, "files_failed", json_integer(result->files_failed));
    json_object_set_new(object, "skipped", json_integer(result->skipped));
    json_object_set_new(object, "torn_bytes", json_integer(result->torn_bytes));
    if (err->code)
        json_object_set_new(object, "error", text_json(sw_error_text(err)));
    return object;
}

/* ---- journals -----------------------------------------------------------------------------------
 */

static void journal_print_state(const struct swi_sync_result *result)
{
    if (result->state == SWI_SYNC_FINISHED)
        printf(", exit status %d", result->exit_status);
    else
        printf(result->state == SWI_SYNC_KILLED ? ", was killed" : ", still running");
    if (result->torn_bytes)
        printf(", %" PRId64 " bytes of an unfinished line at the end", result->torn_bytes);
    if (result->skipped)
        printf(", %" PRId64 " skipped", result->skipped);
}

static void journal_print(const char *path, const struct swi_sync_result *result, bool dry_run)
{
    char points[TEXT_NUMBER];
    text_shown(stdout, path, 0);
    fputs(": ", stdout);
    if (result->state == SWI_SYNC_DONE)
        printf("is already uploaded; --again uploads what is missing");
    else if (result->state == SWI_SYNC_WRITTEN)
        printf("its program is still writing it; --include-live uploads what exists so far");
    else {
        text_shown(stdout, dry_run ? "run " : "", 0);
        text_shown(stdout, dry_run ? result->uid : result->url, 0);
        printf(", %s values, %" PRId64 " files", text_count(points, (double)result->points),
               result->files);
        journal_print_state(result);
    }
    putchar('\n');
    fflush(stdout);
}

static json_t *journal_json(const char *path, const struct swi_sync_result *result,
                            const struct sw_error *err)
{
    static const char *const names[] = {[SWI_SYNC_FINISHED] = "finished",
                                        [SWI_SYNC_KILLED] = "killed",
                                        [SWI_SYNC_LIVE] = "live",
                                        [SWI_SYNC_DONE] = "synced",
                                        [SWI_SYNC_WRITTEN] = "written"};
    json_t *object = json_object();
    json_object_set_new(object, "path", text_json(path));
    json_object_set_new(object, "id", text_json(result->uid));
    json_object_set_new(object, "url", text_json(result->url));
    json_object_set_new(object, "state", json_string(err->code ? "failed" : names[result->state]));
    json_object_set_new(object, "exit_code", json_integer(result->exit_status));
    json_object_set_new(object, "values_sent", json_integer(result->points));
    json_object_set_new(object, "files", json_integer(result->files));
    json_object_set_new(object, "files_failed", json_integer(result->files_failed));
    json_object_set_new(object, "skipped", json_integer(result->skipped));
    json_object_set_new(object, "torn_bytes", json_integer(result->torn_bytes));
    if (err->code)
        json_object_set_new(object, "error", text_json(sw_error_text(err)));
    return object;
}

static const char *environment(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

static bool journal_upload(const char *path, const struct wanted *wanted, json_t *list)
{
    struct upload upload = {.path = path};
    struct swi_sync_result result;
    SW_ERROR_SCOPE(err);
    const struct swi_sync_options options = {.uri = wanted->wandb.base_url,
                                             .experiment = wanted->experiment,
                                             .dry_run = wanted->wandb.dry_run,
                                             .include_live = wanted->wandb.include_live,
                                             .again = wanted->wandb.again,
                                             .fresh = wanted->fresh,
                                             .timeout_s = wanted->wandb.timeout_s,
                                             .env = environment,
                                             .say = told,
                                             .ended = cancelled,
                                             .arg = &upload};
    int rc = swi_journal_sync(path, &options, &result, &err);
    if (rc < 0)
        say("sync", "%s: %s", path, sw_error_text(&err));
    if (list)
        json_array_append_new(list, journal_json(path, &result, &err));
    else if (rc >= 0)
        journal_print(path, &result, wanted->wandb.dry_run);
    return rc >= 0 && !result.files_failed;
}

/* ---- the command --------------------------------------------------------------------------------
 */

static int wandb_upload(const char *path, const struct sw_wandb_sync *options,
                        struct sw_wandb_result *result, struct sw_error *err)
{
#ifdef HAVE_UPLOAD
    return sw_wandb_sync(path, options, result, err);
#else
    (void)options, (void)result;
    return sw_error_set(err, SW_EINVAL,
                        "%s: this stepwatch was built without protobuf-c, which it needs for runs "
                        "of wandb: install it and rebuild, or use wandb's own `wandb sync`",
                        path);
#endif
}

/* Adds the result of the run to `list`, or prints it if there is no list. */
static bool upload_one(const char *path, const struct wanted *wanted, json_t *list)
{
    struct upload upload = {.path = path};
    struct sw_wandb_sync options = wanted->wandb;
    struct sw_wandb_result result = {.size = sizeof result};
    SW_ERROR_SCOPE(err);
    if (journal_folder_is(path))
        return journal_upload(path, wanted, list);
    options.progress = progress;
    options.say = told;
    options.cancelled = cancelled;
    options.arg = &upload;
    int rc = wandb_upload(path, &options, &result, &err);
    progress_clear(&upload);
    if (rc < 0)
        say("sync", "%s", sw_error_text(&err));
    if (list)
        json_array_append_new(list, result_json(path, &result, &err));
    else if (rc >= 0)
        print_line(path, &result, options.dry_run);
    return rc >= 0 && !result.files_failed;
}

static int upload_all(const struct runs *runs, const struct wanted *options, bool json)
{
    SW_ERROR_SCOPE(err);
    json_t *list = json ? json_array() : NULL;
    size_t good = 0;
    for (size_t i = 0; i < runs->count && !interrupted; i++)
        good += upload_one(runs->path[i], options, list);
    if (list && json_print(json_pack("{s:o}", "runs", list), &err) < 0)
        say("sync", "%s", sw_error_text(&err));
    if (interrupted)
        say("sync", "interrupted; run the command again to continue");
    return good == runs->count && !err.code ? EXIT_FINE : EXIT_FAILED;
}

/* Finds runs in the sinks' default folders. */
static int find_here(struct runs *runs, struct sw_error *err)
{
    const char *parent = getenv("WANDB_DIR");
    char folder[4096];
    bool said = parent && *parent;
    int size = snprintf(folder, sizeof folder, "%s%swandb", said ? parent : "", said ? "/" : "");
    int found = journal_folders_add(runs, "runs/mlflow", err);
    if (found < 0 || (found > 0 && access(folder, F_OK) < 0))
        return found < 0 ? found : 0;
    if (size >= (int)sizeof folder || access(folder, F_OK) < 0)
        return sw_error_set(
            err, SW_EINVAL,
            "there is no folder %s%s: name the run, or the folder of runs, to upload",
            said ? folder : "wandb", said ? " (WANDB_DIR)" : "");
    return wandb_folders_add(runs, folder, err);
}

static int find_all(struct runs *runs, int argc, char **argv, struct sw_error *err)
{
    int rc = argc < 2 ? find_here(runs, err) : 0;
    for (int i = 1; i < argc && rc == 0; i++) {
        int found = journal_folders_add(runs, argv[i], err);
        rc = found < 0 ? found : found == 0 ? wandb_folders_add(runs, argv[i], err) : 0;
    }
    return rc;
}

/* The first signal asks for the end, the second one ends the program. */
static void signals_catch(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int upload_found(const struct wanted *options, bool json, int argc, char **argv)
{
    SW_ERROR_SCOPE(err);
    struct runs runs = {0};
    int rc = EXIT_FAILED;
    if (find_all(&runs, argc, argv, &err) < 0)
        say("sync", "%s", sw_error_text(&err));
    else if (options->wandb.run_id && runs.count > 1)
        rc = usage_error(&sync_command, "--run-id is for one run, but there are %zu", runs.count);
    else {
        signals_catch();
        rc = upload_all(&runs, options, json);
    }
    runs_free(&runs);
    return rc;
}

#else

static int upload_found(const struct wanted *options, bool json, int argc, char **argv)
{
    (void)options, (void)json, (void)argc, (void)argv;
    say("sync",
        "this stepwatch was built without libcurl, which it needs for uploads: install it and "
        "rebuild, or upload runs of wandb with its own `wandb sync DIR`");
    return EXIT_FAILED;
}

#endif

static bool timeout_take(struct sw_wandb_sync *options, const char *text)
{
    char *end = NULL;
    options->timeout_s = text ? strtod(text, &end) : 0;
    return !text || (end != text && !*end && options->timeout_s > 0);
}

static int run(int argc, char **argv)
{
    struct wanted wanted = {.wandb = {.size = sizeof wanted.wandb}};
    struct sw_wandb_sync *options = &wanted.wandb;
    const char *timeout = NULL;
    bool json = false;
    const struct argument arguments[] = {{.name = "dry-run", .flag = &options->dry_run},
                                         {.name = "include-live", .flag = &options->include_live},
                                         {.name = "again", .flag = &options->again},
                                         {.name = "json", .flag = &json},
                                         {.name = "base-url", .value = &options->base_url},
                                         {.name = "entity", .value = &options->entity},
                                         {.name = "project", .value = &options->project},
                                         {.name = "run-id", .value = &options->run_id},
                                         {.name = "experiment", .value = &wanted.experiment},
                                         {.name = "new", .flag = &wanted.fresh},
                                         {.name = "timeout", .value = &timeout}};
    int rc =
        arguments_take(&sync_command, arguments, sizeof arguments / sizeof *arguments, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (!timeout_take(options, timeout))
        return usage_error(&sync_command, "--timeout %s: expected a number of seconds", timeout);
    return upload_found(&wanted, json, argc, argv);
}

const struct command sync_command = {"sync", "uploads runs of the sinks wandb and mlflow", help,
                                     run};
