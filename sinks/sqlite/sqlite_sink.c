/* SPDX-License-Identifier: MIT */
/* sqlite - writes the run to an SQLite database, in a layout of its own or as Trackio does. */
#include "core/clock/now.h"
#include "sinks/common/parent_folders.h"
#include "sinks/common/random_id.h"
#include "sinks/sqlite/database.h"
#include "sinks/sqlite/own_files.h"
#include "sinks/sqlite/own_layout.h"
#include "sinks/sqlite/trackio_folder.h"
#include "sinks/sqlite/trackio_layout.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct sqlite {
    const char *layout_name;
    const char *path;
    const char *database_path; /* the option database, a second name of path */
    const char *project;
    struct sw_sink *sink;
    const struct swi_layout *layout;
    struct swi_database database;
    struct swi_sqlite_run run;
    char file[PATH_MAX];
    int64_t dropped; /* dropped rows that were reported to core */
    bool failed;     /* the last transaction failed, and that was reported */
};

static const struct sw_option options[] = {
    {.name = "layout",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct sqlite, layout_name),
     .fallback = "stepwatch",
     .choices = "stepwatch|trackio",
     .help =
         "stepwatch: tables and views for queries; trackio: a project that `trackio show` shows"},
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct sqlite, path),
     .help = "database file, to which any number of runs can write at the same time (default: "
             "runs/stepwatch.db); layout trackio: not used"},
    {.name = "database",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct sqlite, database_path),
     .help = "another name of path, as older releases have it"},
    {.name = "project",
     .type = SW_OPTION_STRING,
     .offset = offsetof(struct sqlite, project),
     .help = "layout trackio: the project (default: the run's name); its file is in $TRACKIO_DIR, "
             "else $HF_HOME/trackio, else ~/.cache/huggingface/trackio"},
    {.name = NULL},
};

/* ---- open ------------------------------------------------------------------------------------ */

static const char *path_of(const struct sqlite *s)
{
    return s->path ? s->path : s->database_path ? s->database_path : "runs/stepwatch.db";
}

static const char *env_of_sink(void *sink, const char *name)
{
    return sw_sink_getenv(sink, name);
}

static int file_choose(struct sqlite *s, struct sw_error *err)
{
    struct swi_text path = {0};
    int rc = 0;
    if (s->layout == &swi_layout_trackio)
        rc = swi_trackio_path(env_of_sink, s->sink, s->project ? s->project : s->sink->run->name,
                              &path, err);
    if (rc == 0)
        rc = sw_sink_resolve(s->sink, path.data ? path.data : path_of(s), s->file, sizeof s->file,
                             err);
    swi_text_free(&path);
    return rc;
}

static int database_open(struct sqlite *s, struct sw_error *err)
{
    int rc = swi_parent_folders_make(s->file, err);
    return rc == 0 ? swi_database_open(&s->database, s->file, s->layout, err) : rc;
}

static const struct swi_layout *layout_of(const struct sqlite *s)
{
    return strcmp(s->layout_name, "trackio") == 0 ? &swi_layout_trackio : &swi_layout_own;
}

static uint32_t sqlite_select(const void *state, const struct sw_run *run)
{
    (void)run;
    return layout_of(state)->wants;
}

/* All ranks and all runs write to one file. */
static bool path_is_shared(const void *state)
{
    (void)state;
    return true;
}

static const char *env_of_process(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

static void trackio_check(const struct sqlite *s, struct sw_sink_check *check)
{
    struct swi_text path = {0};
    SW_ERROR_SCOPE(err);
    if (swi_trackio_path(env_of_process, NULL, s->project ? s->project : "", &path, &err) < 0)
        sw_sink_remark(check, s->project ? "project" : "layout", "%s", sw_error_text(&err));
    swi_text_free(&path);
}

static void sqlite_check(const void *state, struct sw_sink_check *check)
{
    const struct sqlite *s = state;
    if (layout_of(s) == &swi_layout_trackio)
        trackio_check(s, check);
    if (s->path && s->database_path)
        sw_sink_mistake(check, "database",
                        "is another name of path, which is given, too: keep "
                        "path only");
}

static int sqlite_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct sqlite *s = state;
    s->sink = sink;
    s->layout = layout_of(s);
    s->run.run = sink->run;
    s->run.started_ns = (int64_t)(sink->run->started_s * 1e6 + 0.5) * 1000;
    int rc = swi_random_id(s->run.uid, err);
    if (rc == 0)
        rc = file_choose(s, err);
    if (rc == 0)
        rc = database_open(s, err);
    if (rc != 0)
        return rc;
    s->layout->files_begin(&s->run, sink, s->file);
    if (s->database.ready && !s->database.wal)
        sw_sink_say(sink, 1,
                    "%s: the file system does not allow a write-ahead log, so readers and writers "
                    "wait for each other",
                    s->file);
    return 0;
}

/* ---- transactions ---------------------------------------------------------------------------- */

static void dropped_tell(struct sqlite *s)
{
    int64_t more = s->run.rows.dropped - s->dropped;
    if (more > 0)
        sw_sink_lost(s->sink, more);
    s->dropped = s->run.rows.dropped;
}

/* A database that somebody has deleted is made anew, for what comes from then on. Returns whether
 * there is a database to write to. */
static bool database_renew(struct sqlite *s, struct sw_error *err)
{
    if (s->database.db && !swi_database_is_gone(&s->database))
        return true;
    if (s->database.db) {
        swi_database_leave(&s->database);
        s->layout->again(&s->run);
        sw_sink_say(s->sink, 1,
                    "%s: was deleted during the run: a new database gets the rows from now on",
                    s->file);
    }
    return database_open(s, err) == 0;
}

static enum swi_transaction rows_try(struct sqlite *s, struct sw_error *err)
{
    struct swi_trackio_lock lock = {.fd = -1};
    enum swi_transaction written = database_renew(s, err) ? SWI_WRITTEN : SWI_FAILED;
    if (s->layout == &swi_layout_trackio)
        swi_trackio_lock(&lock, s->file);
    while (written == SWI_WRITTEN && s->run.rows.count)
        written = swi_database_write(&s->database, &s->run.rows, err);
    swi_trackio_unlock(&lock);
    return written;
}

/* If the program has closed the descriptors, the next transaction opens the database again.
 * Connections of one process share the index of the log: all must leave it before one can open it.
 */
static void leave_if_closed(struct sqlite *s)
{
    if (s->database.db && swi_own_files_were_closed())
        swi_database_leave(&s->database);
}

static enum swi_transaction rows_write(struct sqlite *s, struct sw_error *err)
{
    leave_if_closed(s);
    enum swi_transaction written = rows_try(s, err);
    if (written != SWI_WRITTEN)
        leave_if_closed(s);
    if (written == SWI_FAILED && !s->failed)
        sw_sink_say(s->sink, 1, "%s; up to 4 MiB of rows are kept and written later",
                    sw_error_text(err));
    s->failed = written == SWI_FAILED;
    dropped_tell(s);
    return written;
}

/* Ignores errors, because rows that cannot be written are kept. */
static void write_now(struct sqlite *s)
{
    struct sw_error ignored = {0};
    rows_write(s, &ignored);
    sw_error_free(&ignored);
}

static int64_t wall_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int sqlite_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct sqlite *s = state;
    size_t before = s->run.rows.bytes.size;
    (void)err;
    s->layout->record(&s->run, record);
    /* Do not try again for each record while the database is locked. */
    if (before / SWI_TRANSACTION_BYTES != s->run.rows.bytes.size / SWI_TRANSACTION_BYTES)
        write_now(s);
    return 0;
}

static int sqlite_flush(void *state, struct sw_error *err)
{
    struct sqlite *s = state;
    (void)err;
    s->layout->flush(&s->run, s->sink->run->replayed ? 0 : wall_now());
    write_now(s);
    return 0;
}

/* ---- close ----------------------------------------------------------------------------------- */

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Tries for four fifths of the time that sw_close() waits. */
static enum swi_transaction write_at_last(struct sqlite *s, struct sw_error *err)
{
    int64_t until = swi_now_ns() + s->sink->run->close_timeout_ns / 5 * 4;
    enum swi_transaction written;
    while ((written = rows_write(s, err)) != SWI_WRITTEN && swi_now_ns() < until)
        nap();
    return written;
}

static int sqlite_close(void *state, struct sw_error *err)
{
    struct sqlite *s = state;
    struct sw_error why = {0};
    int rc = 0;
    s->layout->flush(&s->run, s->sink->run->replayed ? 0 : wall_now());
    enum swi_transaction written = write_at_last(s, &why);
    if (written != SWI_WRITTEN)
        rc = sw_error_set(err, SW_EIO, "%zu rows are not in the database: %s%s", s->run.rows.count,
                          written == SWI_LOCKED ? s->file : sw_error_text(&why),
                          written == SWI_LOCKED ? ": it is locked by another program" : "");
    sw_error_free(&why);
    if (s->database.db)
        swi_database_close(&s->database);
    swi_value_files_fini(&s->run.files);
    swi_clean_names_free(&s->run.clean_names);
    swi_rows_free(&s->run.rows);
    swi_rows_free(&s->run.kept);
    swi_object_free(&s->run.open);
    swi_text_free(&s->run.config);
    for (size_t i = 0; i < SWI_NAMES_SEEN; i++)
        free(s->run.names[i]);
    return rc;
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "sqlite",
    .version = "1.0",
    .license = "MIT",
    .summary = "the run in an SQLite database, for queries or for Trackio",
    .wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) |
             SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT) |
             SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_MONITOR) | SW_WANT(SW_RECORD_VALUE) |
             SW_WANT(SW_RECORD_ALERT) | SW_WANT(SW_RECORD_SUMMARY),
    .values = SW_WANT_VALUE(SW_VALUE_TEXT) | SW_WANT_VALUE(SW_VALUE_TABLE) |
              SW_WANT_VALUE(SW_VALUE_HISTOGRAM) | SW_WANT_VALUE(SW_VALUE_IMAGES) |
              SW_WANT_VALUE(SW_VALUE_FILE),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .options = options,
    .state_size = sizeof(struct sqlite),
    .open = sqlite_open,
    .record = sqlite_record,
    .flush = sqlite_flush,
    .close = sqlite_close,
    .check = sqlite_check,
    .path_is_folder = path_is_shared,
    .select = sqlite_select,
};
