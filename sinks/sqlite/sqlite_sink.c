/* SPDX-License-Identifier: MIT */
/* sqlite - writes the run to an SQLite database, in a layout of its own or as Trackio does. */
#include "core/clock/now.h"
#include "sinks/common/file_names.h"
#include "sinks/common/option_rows.h"
#include "sinks/sqlite/database.h"
#include "sinks/sqlite/database_layout.h"

#include <stdlib.h>
#include <string.h>

static const struct sw_option options[] = {
    SWI_OPTION_NAMED(
        "layout", CHOICE, struct swi_sqlite, layout_name,
        "stepwatch: tables and views for queries; trackio: a project that `trackio show` shows",
        .fallback = "stepwatch", .choices = "stepwatch|trackio"),
    SWI_OPTION(PATH, struct swi_sqlite, path,
               "database file, to which any number of runs can write at the same time (default: "
               "runs/stepwatch.db); layout trackio: not used"),
    SWI_OPTION_NAMED("database", PATH, struct swi_sqlite, database_path,
                     "another name of path, as older releases have it"),
    SWI_OPTION(STRING, struct swi_sqlite, project,
               "layout trackio: the project (default: the run's name); its file is in "
               "$TRACKIO_DIR, else $HF_HOME/trackio, else ~/.cache/huggingface/trackio"),
    SWI_OPTION(SIZE, struct swi_sqlite, max_waiting,
               "most bytes of rows on the disk that wait for a locked database; 0: no limit",
               .fallback = "1GB", .min = 0, .max = 1e12),
    SWI_OPTION(BOOL, struct swi_sqlite, merge,
               "write nothing of this run, and only add the rows that runs could not write before "
               "they ended, as `stepwatch sync` does",
               .fallback = "false"),
    SWI_THINNING_OPTIONS(struct swi_sqlite, thinning,
                         "keep the newest steps, and delete the oldest"),
    {.name = NULL},
};

/* ---- open ------------------------------------------------------------------------------------ */

static const char *path_of(const struct swi_sqlite *s)
{
    return s->path ? s->path : s->database_path ? s->database_path : "runs/stepwatch.db";
}

static const char *env_of_sink(void *sink, const char *name)
{
    return sw_sink_getenv(sink, name);
}

static int file_choose(struct swi_sqlite *s, struct sw_error *err)
{
    SWI_FREED struct swi_text path = {0};
    int rc = 0;
    if (s->layout == &swi_layout_trackio)
        rc = swi_trackio_path(env_of_sink, s->sink, s->project ? s->project : s->sink->run->name,
                              &path, err);
    if (rc == 0)
        rc = sw_sink_resolve(s->sink, path.data ? path.data : path_of(s), s->file, sizeof s->file,
                             err);
    return rc;
}

static const struct swi_layout *layout_of(const struct swi_sqlite *s)
{
    return strcmp(s->layout_name, "trackio") == 0 ? &swi_layout_trackio : &swi_layout_own;
}

static uint32_t sqlite_select(const void *state, const struct sw_run *run)
{
    const struct swi_sqlite *s = state;
    (void)run;
    return s->merge ? 0 : layout_of(s)->wants;
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

static void trackio_check(const struct swi_sqlite *s, struct sw_sink_check *check)
{
    SWI_FREED struct swi_text path = {0};
    SW_ERROR_SCOPE(err);
    if (!s->merge && (s->path || s->database_path))
        sw_sink_mistake(check, s->path ? "path" : "database",
                        "the layout trackio has its own place for the file of a project: leave it "
                        "out, or set TRACKIO_DIR to the folder");
    if (swi_trackio_path(env_of_process, NULL, s->project ? s->project : "", &path, &err) < 0)
        sw_sink_remark(check, s->project ? "project" : "layout", "%s", sw_error_text(&err));
}

static void sqlite_check(const void *state, struct sw_sink_check *check)
{
    const struct swi_sqlite *s = state;
    swi_thinning_check(&s->thinning, check);
    if (layout_of(s) == &swi_layout_trackio)
        trackio_check(s, check);
    if (s->path && s->database_path)
        sw_sink_mistake(check, "database",
                        "is another name of path, which is given, too: keep "
                        "path only");
}

/* Opens the database if rows wait for it, in whatever layout they are. */
static int merge_open(struct swi_sqlite *s, struct sw_error *err)
{
    static const struct swi_layout *const layouts[] = {&swi_layout_own, &swi_layout_trackio};
    int rc = sw_sink_resolve(s->sink, path_of(s), s->file, sizeof s->file, err);
    for (size_t i = 0; rc == 0 && !s->database.db && i < sizeof layouts / sizeof *layouts; i++)
        if (swi_unwritten_has(s->file, layouts[i])) {
            s->layout = layouts[i];
            rc = swi_sqlite_reopen(s, err);
        }
    return rc;
}

static int sqlite_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct swi_sqlite *s = state;
    s->sink = sink;
    s->layout = layout_of(s);
    s->run.run = sink->run;
    double started_us = sink->run->started_s * 1e6 + 0.5;
    s->run.started_ns =
        started_us < (double)(INT64_MAX / 1000) ? (int64_t)started_us * 1000 : INT64_MAX;
    int rc = swi_random_id(s->run.uid, err);
    s->turns.random = strtoull(s->run.uid + 16, NULL, 16) | 1;
    if (rc == 0 && s->merge)
        return merge_open(s, err);
    if (rc == 0)
        rc = file_choose(s, err);
    if (rc == 0)
        rc = swi_sqlite_reopen(s, err);
    if (rc != 0)
        return rc;
    s->layout->files_begin(&s->run, sink, s->file);
    s->run.thinning = &s->thinning;
    swi_thinning_begin(&s->thinning, sink, s->file);
    swi_oldest_rows_begin(&s->run.oldest, &s->thinning);
    if (s->database.ready && !s->database.wal)
        sw_sink_say(sink, 1,
                    "%s: the file system does not allow a write-ahead log, so readers and writers "
                    "wait for each other",
                    s->file);
    return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

/* While the database is locked, each turn is at a time of its own, and not at each record. */
static bool is_turn(const struct swi_sqlite *s, size_t before)
{
    if (s->turns.since_ns)
        return swi_now_ns() >= s->turns.next_ns;
    return before / SWI_TRANSACTION_BYTES != s->run.rows.bytes.size / SWI_TRANSACTION_BYTES;
}

/* Adds the statements that delete the oldest rows, if there are too many. */
static void oldest_remove(struct swi_sqlite *s)
{
    int64_t end;
    for (const struct swi_rows_part *part; (part = swi_oldest_rows_part(&s->run.oldest, &end));) {
        s->layout->remove(&s->run, part, end);
        swi_oldest_rows_remove(&s->run.oldest);
    }
}

static int record_write(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct swi_sqlite *s = state;
    size_t before = s->run.rows.bytes.size;
    (void)err;
    if (record->end)
        s->deadline_ns = swi_end_deadline_ns(record->end);
    s->layout->record(&s->run, record);
    oldest_remove(s);
    s->thinning.bytes += (int64_t)(s->run.rows.bytes.size - before);
    if (is_turn(s, before))
        swi_sqlite_write_now(s);
    return 0;
}

static int sqlite_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct swi_sqlite *s = state;
    return swi_thinning_record(&s->thinning, record, record_write, s, err);
}

static int sqlite_flush(void *state, struct sw_error *err)
{
    struct swi_sqlite *s = state;
    struct swi_unwritten_others others;
    if (s->merge)
        return 0;
    s->layout->flush(&s->run, s->sink->run->replayed ? 0 : swi_wall_ns());
    swi_sqlite_write_now(s);
    if (!s->merged && s->database.ready && !s->turns.since_ns) {
        s->merged = true;
        swi_sqlite_merge(s, false, &others, err);
        sw_error_free(err);
    }
    return 0;
}

/* ---- close ----------------------------------------------------------------------------------- */

/* Returns 0, or SW_EIO if rows of this run are not in the database. */
static int rows_close(struct swi_sqlite *s, struct sw_error *err)
{
    struct swi_unwritten_others others;
    SW_ERROR_SCOPE(why);
    int rc = 0;
    s->layout->flush(&s->run, s->sink->run->replayed ? 0 : swi_wall_ns());
    enum swi_transaction written = swi_sqlite_write_at_last(s, &why);
    if (written != SWI_WRITTEN)
        rc = swi_sqlite_left(s, written, &why, err);
    else
        swi_sqlite_merge(s, true, &others, &why);
    swi_unwritten_leave(&s->waiting);
    return rc;
}

/* Returns 0, or SW_EIO if rows of other runs are not in the database. */
static int merge_close(struct swi_sqlite *s, struct sw_error *err)
{
    struct swi_unwritten_others others;
    enum swi_transaction written = swi_sqlite_merge(s, true, &others, err);
    sw_sink_say(s->sink, 0, "%s: added the rows of %zu run%s%s", s->file, others.runs,
                others.runs == 1 ? "" : "s",
                others.in_use ? "; others are still running, and add theirs" : "");
    if (written == SWI_LOCKED)
        sw_error_set(err, SW_EIO, "%s: it is locked by another program", s->file);
    return written == SWI_WRITTEN ? 0 : SW_EIO;
}

static int sqlite_close(void *state, struct sw_error *err)
{
    struct swi_sqlite *s = state;
    SW_ERROR_SCOPE(ignored);
    swi_thinning_end(&s->thinning, record_write, s, &ignored);
    int rc = s->merge ? merge_close(s, err) : rows_close(s, err);
    if (s->database.db)
        swi_database_close(&s->database);
    swi_value_files_fini(&s->run.files);
    swi_clean_names_free(&s->run.clean_names);
    swi_rows_free(&s->run.rows);
    swi_rows_free(&s->run.kept);
    swi_oldest_rows_free(&s->run.oldest);
    swi_object_free(&s->run.open);
    for (size_t i = 0; i < s->run.hparams.count; i++)
        swi_text_free(&s->run.hparam[i]);
    free(s->run.hparam);
    swi_map_free(&s->run.hparams);
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
    .wants = SWI_SQLITE_WANTS,
    .values = SW_WANT_VALUE(SW_VALUE_TEXT) | SW_WANT_VALUE(SW_VALUE_TABLE) |
              SW_WANT_VALUE(SW_VALUE_HISTOGRAM) | SW_WANT_VALUE(SW_VALUE_IMAGES) |
              SW_WANT_VALUE(SW_VALUE_FILE),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .options = options,
    .state_size = sizeof(struct swi_sqlite),
    .open = sqlite_open,
    .record = sqlite_record,
    .flush = sqlite_flush,
    .close = sqlite_close,
    .check = sqlite_check,
    .path_is_folder = path_is_shared,
    .select = sqlite_select,
};
