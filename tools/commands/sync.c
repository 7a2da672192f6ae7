/* SPDX-License-Identifier: MIT */
/* stepwatch sync - uploads runs of the sinks wandb and mlflow, and adds rows to databases. */
#include "config.h"
#include "core/text/printable.h"
#include "tools/commands/commands.h"
#include "tools/output/print.h"
#include "tools/uploads/uploads.h"

#include <stepwatch/stepwatch.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- databases ------------------------------------------------------------------------------- */

static char usual[] = "runs/stepwatch.db";

static bool has_rows(const char *path)
{
    char folder[4096];
    struct stat st;
    int size = snprintf(folder, sizeof folder, "%s-waiting", path);
    return size < (int)sizeof folder && stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_database(const char *path)
{
    char head[16] = "";
    struct stat st;
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    bool found = file && fread(head, 1, sizeof head, file) == sizeof head &&
                 memcmp(head, "SQLite format 3", sizeof head) == 0;
    if (file)
        fclose(file);
    return found || has_rows(path);
}

/* Returns a configuration in which the sink does nothing else, or NULL if out of memory. */
static char *configuration(const char *path)
{
    char *yaml = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&yaml, &size);
    if (!out)
        return NULL;
    fputs("profiler: { show_report: false, signals: false, close_timeout: 600s }\n"
          "ranks: { rank: 0, size: 1 }\nlogger_callback: { sqlite: { merge: true, path: ",
          out);
    swi_quote_string(path, out);
    fputs(" } }\n", out);
    return fclose(out) == 0 ? yaml : NULL;
}

static bool merge(const char *path)
{
    SW_ERROR_SCOPE(err);
    char *yaml = configuration(path);
    struct sw_profiler *sw = yaml ? sw_open_text(yaml, &err) : NULL;
    int rc = sw ? sw_close(sw, &err) : -1;
    if (rc < 0 && !err.code)
        sw_error_set(&err, SW_ENOMEM, "out of memory");
    if (rc < 0)
        say_error("sync", &err);
    free(yaml);
    return rc >= 0;
}

static bool one(const char *path, bool dry_run, json_t *list)
{
    bool waited = has_rows(path), fine = dry_run || merge(path);
    if (list) {
        json_array_append_new(list, json_pack("{s:o, s:b, s:b}", "path", text_json(path),
                                              "rows_waited", waited, "rows_wait", has_rows(path)));
    } else if (dry_run) {
        text_put(path, 0);
        puts(waited ? ": rows wait for it" : ": no rows wait for it");
    }
    return fine;
}

/* Adds the rows that wait for the databases among these paths, and removes those paths from the
 * list; without paths, for the sink's default database. dry_run: only says what would be done.
 * found: set to how many databases there are. list: an
 * array to which what was done is added instead of printing it, or NULL. Returns false if rows are
 * not in their database. */
static bool sync_databases(int *count, char **path, bool dry_run, int *found, json_t *list)
{
    bool fine = true;
    int left = 0;
    *found = *count == 0 && has_rows(usual);
    if (*found)
        fine = one(usual, dry_run, list);
    for (int i = 0; i < *count; i++)
        if (is_database(path[i])) {
            ++*found;
            fine = one(path[i], dry_run, list) && fine;
        } else {
            path[left++] = path[i];
        }
    *count = left;
    return fine;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const char help[] =
    "usage: stepwatch sync [--dry-run] [--include-live] [--again] [--json] [PATH...]\n\n"
    "Uploads runs that the sinks wandb and mlflow, or wandb's own SDK, have written.\n"
    "PATH is the folder of a run, its .wandb file or journal.jsonl, or a folder of\n"
    "runs (default: ./wandb, or WANDB_DIR/wandb, and ./runs/mlflow); or a database of\n"
    "the sink sqlite, to which rows are added that runs could not write before they\n"
    "ended (default: runs/stepwatch.db, if rows wait for it). However often you\n"
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
    "                   settings files; for MLflow: MLFLOW_TRACKING_URI)\n"
    "  --experiment NAME  experiment in MLflow (default: as in the run)\n"
    "  --new            create a run in MLflow even if it may exist there already\n"
    "  --entity NAME    user or team (default: as in the run)\n"
    "  --project NAME   project (default: as in the run)\n"
    "  --run-id ID      id of the run, if PATH is one run (default: as in the run)\n"
    "  --name NAME      display name in wandb, if PATH is one run (default: as in the run)\n"
    "  --group NAME     group in wandb (default: as in the run)\n"
    "  --job-type NAME  kind of run in wandb (default: as in the run)\n"
    "  --tags TAG,TAG   tags in wandb, instead of those in the run; '' for none\n"
    "  --timeout S      give up on a run after this many seconds (default: never)\n";

#ifdef HAVE_SEND

/* list: for --json, or NULL. */
static int upload_found(const struct upload_options *options, json_t *list, int argc, char **argv)
{
    SW_ERROR_SCOPE(err);
    struct runs runs = {0};
    int rc = EXIT_FAILED;
    if (uploads_find(&runs, argv + 1, (size_t)argc - 1, &err) < 0)
        say_error("sync", &err);
    else if ((options->wandb.run_id || options->wandb.name) && runs.count > 1)
        rc = usage_error(&sync_command, "--%s is for one run, but there are %zu",
                         options->wandb.run_id ? "run-id" : "name", runs.count);
    else if (uploads_run(&runs, options, list))
        rc = EXIT_FINE;
    runs_free(&runs);
    return rc;
}

#else

static int upload_found(const struct upload_options *options, json_t *list, int argc, char **argv)
{
    (void)options, (void)list, (void)argc, (void)argv;
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

/* Returns whether there is something to upload where nothing is named. */
static bool has_usual_runs(void)
{
    const char *parent = getenv("WANDB_DIR");
    return (parent && *parent) || access("wandb", F_OK) == 0 || access("runs/mlflow", F_OK) == 0;
}

static int run(int argc, char **argv)
{
    struct upload_options options = {.wandb = {.size = sizeof options.wandb}};
    struct sw_wandb_sync *shared = &options.wandb;
    const char *timeout = NULL;
    bool json = false;
    const struct argument arguments[] = {{.name = "dry-run", .flag = &shared->dry_run},
                                         {.name = "include-live", .flag = &shared->include_live},
                                         {.name = "again", .flag = &shared->again},
                                         {.name = "json", .flag = &json},
                                         {.name = "base-url", .value = &shared->base_url},
                                         {.name = "entity", .value = &shared->entity},
                                         {.name = "project", .value = &shared->project},
                                         {.name = "run-id", .value = &shared->run_id},
                                         {.name = "name", .value = &shared->name},
                                         {.name = "group", .value = &shared->group},
                                         {.name = "job-type", .value = &shared->job_type},
                                         {.name = "tags", .value = &shared->tags},
                                         {.name = "experiment", .value = &options.experiment},
                                         {.name = "new", .flag = &options.fresh},
                                         {.name = "timeout", .value = &timeout}};
    arguments_take(&sync_command, arguments, sizeof arguments / sizeof *arguments, &argc, argv);
    if (!timeout_take(shared, timeout))
        return usage_error(&sync_command, "--timeout %s: expected a number of seconds", timeout);
    json_t *runs = json ? json_array() : NULL, *merged = json ? json_array() : NULL;
    int paths = argc - 1, databases;
    bool fine = sync_databases(&paths, argv + 1, shared->dry_run, &databases, merged);
    bool uploads = !databases || paths || (argc == 1 && has_usual_runs());
    int rc = uploads ? upload_found(&options, runs, paths + 1, argv) : EXIT_FINE;
    if (json && rc == EXIT_USAGE) {
        json_decref(runs);
        json_decref(merged);
    } else if (json &&
               !json_show("sync", json_pack("{s:o, s:o}", "runs", runs, "databases", merged))) {
        fine = false;
    }
    return rc == EXIT_USAGE || fine ? rc : EXIT_FAILED;
}

const struct command sync_command = {"sync", "uploads runs of the sinks wandb and mlflow", help,
                                     run};
