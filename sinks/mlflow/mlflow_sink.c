/* SPDX-License-Identifier: MIT */
/* mlflow - a run of MLflow: a journal in a folder of its own, uploaded while it is written or
 * later.
 */
#include "sinks/mlflow/mlflow_sink.h"

#include "core/clock/now.h"
#include "core/text/io_code.h"
#include "sinks/common/file_names.h"
#include "sinks/common/report_output.h"
#include "sinks/common/notes.h"
#include "sinks/common/option_rows.h"
#include "sinks/common/part_file.h"
#include "sinks/common/runlog/lines.h"
#include "sinks/mlflow/upload/tracking_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_MAX = 8000 };

static const struct sw_option options[] = {
    SWI_OPTION(STRING, struct mlflow, tracking_uri,
               "address of the server, such as http://127.0.0.1:5000 (default: "
               "MLFLOW_TRACKING_URI; if neither is set, the run is kept for stepwatch sync)"),
    SWI_OPTION(STRING, struct mlflow, experiment,
               "experiment of the run, created if it does not exist (default: "
               "MLFLOW_EXPERIMENT_NAME, MLFLOW_EXPERIMENT_ID, or Default)",
               .placeholders = true),
    SWI_OPTION(
        STRING, struct mlflow, run_name,
        "name of the run in MLflow (default: the name in the configuration, or the program's name)",
        .placeholders = true),
    SWI_OPTION(MAP, struct mlflow, tags, "tags of the run, such as { team: vision }"),
    SWI_OPTION(STRING, struct mlflow, notes,
               "description of the run, as markdown (default: the tables of the last report)"),
    SWI_OPTION(PATH, struct mlflow, dir,
               "folder in which the folder mlflow is created, with a folder for each run",
               .fallback = "runs"),
    SWI_OPTION(
        CHOICE, struct mlflow, mode,
        "online: upload the run while it is written; offline: only write it, for stepwatch sync",
        .fallback = "online", .choices = "online|offline"),
    SWI_OPTION_NAMED("interval", DURATION, struct mlflow, interval_ns, "time between two uploads",
                     .fallback = "5s", .min = 0.1, .max = 3600, .unit = "s"),
    SWI_OPTION(CHOICE, struct mlflow, ranks,
               "which processes of a distributed program create a run; all: the runs of the other "
               "ranks become children of the run of rank 0",
               .fallback = "first", .choices = "first|all"),
    SWI_OPTION(BOOL, struct mlflow, user, "record the name of the user who started the run",
               .fallback = "true"),
    SWI_OPTION(BOOL, struct mlflow, system,
               "upload figures of the machine, and the samples of monitors, as system metrics",
               .fallback = "true"),
    SWI_THINNING_OPTIONS(struct mlflow, thinning,
                         "keep the newest values and all results; what was uploaded "
                         "stays at the server"),
    {.name = NULL},
};

/* ---- the folder of the run ------------------------------------------------------------------- */

static int folder_name(struct mlflow *m, struct sw_error *err)
{
    char below[PATH_MAX], root[PATH_MAX], date[32];
    int size = snprintf(below, sizeof below, "%s/mlflow", m->dir);
    if (size >= (int)sizeof below)
        return sw_error_set(err, SW_EINVAL, "dir: the path is too long");
    if (!swi_start_time(m->sink->run, "%Y%m%d_%H%M%S", date, sizeof date))
        return sw_error_set(err, SW_EINVAL, "the start of the run is not a valid date");
    int rc = sw_sink_resolve(m->sink, below, root, sizeof root - 512, err);
    if (rc == 0)
        snprintf(m->folder, sizeof m->folder, "%.*s/run-%.31s-%s", PATH_MAX - 512, root, date,
                 m->uid);
    return rc;
}

static int folder_make(char *folder, struct sw_error *err)
{
    int rc = swi_parent_folders_make(folder, err);
    if (rc == 0 && mkdir(folder, 0777) < 0)
        rc = sw_error_set(err, swi_io_code(errno), "%s: cannot be created: %s", folder,
                          strerror(errno));
    return rc;
}

static void journal_remove(struct mlflow *m)
{
    unlink(m->journal.path);
    rmdir(m->folder);
}

/* ---- open ------------------------------------------------------------------------------------ */

#define RESULTS                                                                                    \
    (SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT) |          \
     SW_WANT(SW_RECORD_FINDINGS) | SW_WANT(SW_RECORD_LOST) | SW_WANT(SW_RECORD_ALERT) |            \
     SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_RULE) | SW_WANT(SW_RECORD_SUMMARY) |             \
     SW_WANT(SW_RECORD_LINE) | SW_WANT(SW_RECORD_RANKS) | SW_WANT(SW_RECORD_END))

/* Returns whether another process makes the run. */
static bool is_left_to_first(const struct mlflow *m)
{
    const struct sw_run *run = m->sink->run;
    return strcmp(m->ranks, "first") == 0 && run->rank > 0 && run->rank_certain && !run->replayed;
}

/* The journal begins with what the run is, so that the upload can begin at once. */
static int first_lines_make(struct mlflow *m, struct sw_error *err)
{
    struct swi_log_counters none = {0};
    swi_lines_run(&m->lines, m->sink->run, "metrics", false, &none);
    swi_mlflow_run_line(&m->lines, m);
    swi_log_counters_free(&none);
    return m->lines.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for the journal") : 0;
}

/* Leaves no journal that is not whole: the sink may be opened again. */
static int first_lines_write(struct mlflow *m, struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    swi_journal_add(&m->journal, &m->lines);
    int rc = swi_journal_flush(&m->journal, err);
    if (rc == 0)
        return 0;
    journal_remove(m);
    swi_journal_give_up(&m->journal);
    swi_journal_finish(&m->journal, &ignored);
    return rc;
}

/* Sets uid and folder, and creates the folder DIR/mlflow/run-TIME-UID/ and the journal in it. The
 * first lines are made before it, because the program may end at any time. */
static int journal_make(struct mlflow *m, struct sw_error *err)
{
    char path[PATH_MAX + 32];
    int rc = swi_random_id(m->uid, err);
    if (rc == 0)
        rc = folder_name(m, err);
    if (rc == 0)
        rc = first_lines_make(m, err);
    if (rc == 0)
        rc = folder_make(m->folder, err);
    snprintf(path, sizeof path, "%s/journal.jsonl", m->folder);
    if (rc == 0 && (rc = swi_journal_create(&m->journal, path, err)) < 0)
        rmdir(m->folder);
    if (rc == 0)
        rc = first_lines_write(m, err);
    if (rc < 0)
        swi_text_free(&m->lines);
    return rc;
}

/* Returns whether a variable says no, as the client reads it. */
static bool says_no(struct mlflow *m, const char *name)
{
    const char *value = sw_sink_getenv(m->sink, name);
    return value && (strcasecmp(value, "false") == 0 || strcmp(value, "0") == 0);
}

static uint32_t mlflow_select(const void *state, const struct sw_run *run)
{
    const struct mlflow *m = state;
    (void)run;
    return m->system ? RESULTS | SW_WANT(SW_RECORD_MONITOR) : RESULTS;
}

static int mlflow_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct mlflow *m = state;
    m->sink = sink;
    m->off = is_left_to_first(m);
    m->system = m->system && !says_no(m, "MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING");
    sw_sink_want(sink, m->off ? 0 : mlflow_select(m, sink->run));
    if (m->off)
        return 0;
    int rc = journal_make(m, err);
    if (rc < 0)
        return rc;
    swi_thinning_begin(&m->thinning, sink, m->folder);
    m->rotation.most = m->rotation.due = swi_thinning_file_most(&m->thinning);
    swi_mlflow_samples_begin(m);
    swi_mlflow_online_start(m);
    return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static void report_text(struct swi_text *text, const struct sw_report *report)
{
    swi_markdown_report(text, report, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    swi_markdown_notes(text, report);
    if (!swi_findings_count(report))
        return;
    swi_text_put(text, "\n");
    swi_findings_notes(text, report, swi_escape_markdown);
}

/* The file is complete before the journal has the report, because then it is uploaded. */
static void report_write(struct mlflow *m, const struct sw_report *report)
{
    char path[PATH_MAX + 16];
    SW_ERROR_SCOPE(err);
    m->tables.size = 0;
    report_text(&m->tables, report);
    snprintf(path, sizeof path, "%s/report.md", m->folder);
    if (m->tables.failed ||
        sw_sink_replace(m->sink, path, m->tables.data, m->tables.size, &err) < 0)
        sw_sink_say(m->sink, 1, "%s",
                    m->tables.failed ? "not enough memory for report.md" : sw_error_text(&err));
    m->tables.failed = false;
}

/* Without notes, the page of the run shows the tables. */
static void note_add(struct mlflow *m)
{
    bool fits = m->tables.size && swi_text_width(m->tables.data) <= NOTE_MAX;
    if (fits && !(m->notes && *m->notes))
        swi_mlflow_tag_line(&m->lines, "mlflow.note.content", m->tables.data);
}

static void end_take(struct mlflow *m, const struct sw_end *end)
{
    m->deadline_ns = swi_end_deadline_ns(end);
    m->ended = true;
    note_add(m);
    swi_mlflow_samples_look(&m->lines, m);
    swi_mlflow_lines_upload(m, true);
    swi_summary_lines_end(&m->summary, &m->lines);
}

/* Takes what has no line of a run log, or not only that. */
static void others_take(struct mlflow *m, const struct sw_record *record)
{
    swi_summary_lines_note(&m->summary, record);
    if (record->report)
        report_write(m, record->report);
    if (record->type == SW_RECORD_VALUE)
        swi_mlflow_value(m, record);
    if (record->type == SW_RECORD_SUMMARY)
        swi_summary_line_add(&m->summary, &m->lines, record->summary);
    if (record->type == SW_RECORD_RULE)
        swi_mlflow_unsupported(
            m, SWI_UNSUPPORTED_RULES,
            "MLflow has no axis and no summary of a metric, so sw_define() changes "
            "nothing there");
    if (record->type == SW_RECORD_ALERT)
        swi_mlflow_alert(m, record);
    if (record->type == SW_RECORD_LINE)
        swi_mlflow_line(m, record->line);
    if (record->type == SW_RECORD_RANKS && record->ranks->complete)
        swi_mlflow_ranks(m, record->ranks);
    if (record->end)
        end_take(m, record->end);
}

static void lines_begin(struct mlflow *m)
{
    m->lines.size = 0;
    m->lines.failed = false;
}

/* With when_full: rotate. */
static void oldest_remove(struct mlflow *m)
{
    SW_ERROR_SCOPE(err);
    if (m->rotation.most && swi_journal_rotate(&m->rotation, &m->journal, &err) < 0)
        sw_sink_say(m->sink, 1, "%s; the journal grows meanwhile", sw_error_text(&err));
}

static int record_write(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct mlflow *m = state;
    (void)err;
    lines_begin(m);
    others_take(m, record);
    if (swi_is_sample(record))
        swi_mlflow_sample_lines(&m->lines, m, record);
    else
        swi_lines_record(&m->lines, record, false, -1, NULL, &m->thinning);
    swi_journal_add(&m->journal, &m->lines);
    oldest_remove(m);
    m->thinning.bytes += (int64_t)m->lines.size;
    return 0;
}

static int mlflow_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct mlflow *m = state;
    return m->off ? 0 : swi_thinning_record(&m->thinning, record, record_write, m, err);
}

/* What is due from time to time. */
static void regular_add(struct mlflow *m)
{
    lines_begin(m);
    swi_mlflow_samples_look(&m->lines, m);
    swi_mlflow_lines_upload(m, false);
    if (m->lines.size)
        swi_journal_add(&m->journal, &m->lines);
}

static void dropped_tell(struct mlflow *m)
{
    if (m->journal.dropped)
        sw_sink_lost(m->sink, m->journal.dropped);
    m->journal.dropped = 0;
}

/* Writes what waits. A full disk is said once, and once when it is over. */
static void journal_flush(struct mlflow *m)
{
    SW_ERROR_SCOPE(why);
    bool failing = swi_journal_flush(&m->journal, &why) < 0;
    if (failing && !m->failing)
        sw_sink_say(m->sink, 1, "%s; up to 4 MiB are kept and written later", sw_error_text(&why));
    if (!failing && m->failing)
        sw_sink_say(m->sink, 0, "the journal can be written again");
    m->failing = failing;
}

static int mlflow_flush(void *state, struct sw_error *err)
{
    struct mlflow *m = state;
    (void)err;
    if (m->off)
        return 0;
    if (!m->ended)
        regular_add(m);
    journal_flush(m);
    dropped_tell(m);
    swi_mlflow_online_flush(m);
    return 0;
}

static int mlflow_close(void *state, struct sw_error *err)
{
    struct mlflow *m = state;
    if (m->off)
        return 0;
    SW_ERROR_SCOPE(ignored);
    swi_thinning_end(&m->thinning, record_write, m, &ignored);
    swi_journal_rotation_end(&m->rotation, &m->journal);
    int rc = swi_journal_flush(&m->journal, err);
    swi_journal_give_up(&m->journal);
    dropped_tell(m);
    swi_mlflow_online_close(m, rc == 0);
    if (rc < 0)
        sw_error_prefix(err, "%s", m->folder);
    swi_journal_finish(&m->journal, &ignored);
    swi_text_free(&m->lines);
    swi_text_free(&m->tables);
    swi_tables_free(&m->tables_kept);
    swi_summary_lines_free(&m->summary);
    swi_mlflow_samples_free(&m->samples);
    return rc;
}

/* Only a remark, because the run is written without a server, too. */
static void mlflow_check(const void *state, struct sw_sink_check *check)
{
    const struct mlflow *m = state;
    SW_ERROR_SCOPE(err);
    swi_thinning_check(&m->thinning, check);
    if (m->tracking_uri && *m->tracking_uri && strcmp(m->mode, "offline") != 0 &&
        swi_tracking_uri_check("tracking_uri", m->tracking_uri, &err) < 0)
        sw_sink_remark(check, "tracking_uri", "%s", sw_error_text(&err));
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "mlflow",
    .version = "1.0",
    .license = "MIT",
    .summary = "a run of MLflow, uploaded while it is running or later",
    .wants = RESULTS | SW_WANT(SW_RECORD_MONITOR),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .options = options,
    .state_size = sizeof(struct mlflow),
    .open = mlflow_open,
    .record = mlflow_record,
    .flush = mlflow_flush,
    .close = mlflow_close,
    .check = mlflow_check,
    .select = mlflow_select,
    .monitor = "system",
};
