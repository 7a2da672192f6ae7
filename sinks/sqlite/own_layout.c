/* SPDX-License-Identifier: MIT */
/* The layout `stepwatch`: a database for many runs, written by any number of programs. Its
 * interface is the views; the tables may change with user_version. */
#include "sinks/sqlite/database_layout.h"
#include "core/text/characters.h"
#include "core/text/map.h"
#include "sinks/common/value_table.h"

#include <stepwatch/stepwatch.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, APPLICATION = 0x73777463 /* "swtc" */ };

/* Less than the rows that are kept in memory, so that there is room for each table. */
enum { TABLE_MAX = 1 << 20 };

/* What a row takes in the database, measured. */
enum { METRIC_BYTES = 40, STEP_BYTES = 48 };

/* Bytes of the rows of the run and of its configuration. */
enum { KEPT_MAX = 256 << 10 };

#define RUN "(SELECT id FROM run WHERE uid=?1)"

/* Ranges of the primary keys. Rows of metrics are looked for up to the highest step that one of
 * them has. SQLite would read all rows of all runs without likely() and the +. */
#define OF_METRIC                                                                                  \
    "WHERE run=" RUN " AND likely(name IN (SELECT id FROM name)) AND step<=?2 AND +seq<?3"
#define OF_STEP "WHERE run=" RUN " AND seq<?2"

enum {
    RUN_ADD,
    RUN_ALIVE,
    RUN_END,
    CONFIG,
    NAME,
    METRIC,
    STEP,
    REPORT,
    VALUE,
    ALERT,
    SUMMARY,
    THINNED_METRIC,
    THINNED_STEP,
    REMOVE_METRIC,
    REMOVE_THINNED_METRIC,
    REMOVE_STEP,
    REMOVE_THINNED_STEP,
    REMOVE_VALUE
};

static const char *const statements[] = {
    [RUN_ADD] = "INSERT OR IGNORE INTO run(uid, name, program, host, pid, rank, stepwatch, mode, "
                "started_ns, alive_ns) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?9)",
    [RUN_ALIVE] = "UPDATE run SET alive_ns=max(alive_ns, ?2) WHERE uid=?1",
    [RUN_END] = "UPDATE run SET ended_ns=?2, alive_ns=max(alive_ns, ?2), exit_status=?3, "
                "signal=?4, interrupted=?5 WHERE uid=?1",
    [CONFIG] = "INSERT OR REPLACE INTO config VALUES(" RUN ",?2,?3)",
    [NAME] = "INSERT OR IGNORE INTO name(name, raw) VALUES(?1,?2)",
    [METRIC] = "INSERT OR IGNORE INTO metric VALUES(" RUN
               ",(SELECT id FROM name WHERE name=?2),?3,?4,?5,?6,?7,?8)",
    [STEP] = "INSERT OR IGNORE INTO step VALUES(" RUN ",?2,?3,?4,?5,?6,?7,?8,?9)",
    [REPORT] = "INSERT OR REPLACE INTO report VALUES(" RUN
               ",?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17)",
    [VALUE] = "INSERT OR IGNORE INTO value VALUES(" RUN ",?2,?3,?4,json_extract(?5,'$.kind'),"
              "json_extract(?5,'$.name'),?5)",
    [ALERT] = "INSERT OR IGNORE INTO alert VALUES(" RUN ",?2,?3,?4,?5,?6,?7)",
    [SUMMARY] = "INSERT OR REPLACE INTO summary VALUES(" RUN ",?2,?3)",
    [THINNED_METRIC] = "INSERT OR IGNORE INTO thinned_metric VALUES(" RUN
                       ",(SELECT id FROM name WHERE name=?2),?3,?4,?5,?6,?7)",
    [THINNED_STEP] =
        "INSERT OR IGNORE INTO thinned_step VALUES(" RUN ",?2,?3,?4,?5,?6,?7,?8,?9,?10)",
    [REMOVE_METRIC] = "DELETE FROM metric " OF_METRIC,
    [REMOVE_THINNED_METRIC] = "DELETE FROM thinned_metric " OF_METRIC,
    [REMOVE_STEP] = "DELETE FROM step " OF_STEP,
    [REMOVE_THINNED_STEP] = "DELETE FROM thinned_step " OF_STEP,
    [REMOVE_VALUE] = "DELETE FROM value WHERE run=" RUN " AND seq>=?2 AND seq<?3",
    NULL,
};

static int check(sqlite3 *db, int application_id, int version, struct sw_error *err)
{
    const char *path = sqlite3_db_filename(db, "main");
    if (application_id != APPLICATION)
        return sw_error_set(err, SW_EINVAL,
                            "%s: is a database of another program: choose another file", path);
    if (version <= VERSION)
        return 0;
    return sw_error_set(err, SW_EINVAL,
                        "%s: was made by a newer stepwatch (version %d of the tables; this one "
                        "knows %d): choose another file, or update stepwatch",
                        path, version, VERSION);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Adds a row of this run. */
#define ROW(run, statement, droppable, ...)                                                        \
    SWI_ROW(&(run)->rows, statement, droppable, swi_sql_text((run)->uid), __VA_ARGS__)

/* Keeps the newest row for a database that is made anew. */
static void keep(struct swi_sqlite_run *run)
{
    if (run->kept.bytes.size < KEPT_MAX)
        swi_rows_append(&run->kept, &run->rows, run->rows.row);
}

static void run_add(struct swi_sqlite_run *run)
{
    const struct sw_run *r = run->run;
    ROW(run, RUN_ADD, false, swi_sql_name(r->name), swi_sql_name(r->program), swi_sql_name(r->host),
        swi_sql_integer(r->pid), swi_sql_integer(r->rank), swi_sql_text(r->version),
        swi_sql_text(r->mode == SW_MODE_SIMPLE ? "simple" : "throughput"),
        swi_sql_integer(run->started_ns));
    keep(run);
}

static void config_add(struct swi_sqlite_run *run, const struct sw_hparam *hparam)
{
    ROW(run, CONFIG, true, swi_sql_name(hparam->name),
        hparam->type == SW_HPARAM_INT     ? swi_sql_integer(hparam->integer)
        : hparam->type == SW_HPARAM_FLOAT ? swi_sql_real(hparam->number)
                                          : swi_sql_name(hparam->string));
    keep(run);
}

/* Returns whether the name has been added, and remembers it. Two names may share a place; the row
 * of one that was forgotten is added again. */
static bool name_is_known(struct swi_sqlite_run *run, const char *name)
{
    size_t size;
    char **seen = &run->names[swi_hash(name, SIZE_MAX, &size) % SWI_NAMES_SEEN];
    if (*seen && strcmp(*seen, name) == 0)
        return true;
    free(*seen);
    *seen = strdup(name);
    return false;
}

static void name_row_add(struct swi_sqlite_run *run, struct swi_rows *rows, const char *name)
{
    size_t size = strlen(name);
    SWI_ROW(rows, NAME, false, swi_sql_name(swi_clean_name(&run->clean_names, name)),
            swi_utf8_is_valid(name, size) ? swi_sql_real(NAN) : swi_sql_bytes(name, size));
}

/* Adds what a row of a metric is the mean of: the row that was added last. */
static void thinned_add(struct swi_sqlite_run *run, const struct sw_record *record, size_t i)
{
    const struct swi_thinned *of = swi_thinned_of(run->thinning, record, i);
    const char *name = sw_record_metric(record, i)->name;
    if (!of)
        return;
    ROW(run, THINNED_METRIC, true, swi_sql_name(swi_clean_name(&run->clean_names, name)),
        swi_sql_integer(record->step), swi_sql_integer(run->row - 1), swi_sql_integer(of->count),
        swi_sql_real(of->count ? of->min : NAN), swi_sql_real(of->count ? of->max : NAN));
    swi_oldest_rows_note(&run->oldest, METRIC_BYTES, run->row - 1, record->step);
}

static void metric_add(struct swi_sqlite_run *run, const struct sw_record *record, size_t i)
{
    const struct sw_metric *metric = sw_record_metric(record, i);
    double value = metric->value;
    int64_t special = isnan(value) ? 1 : !isinf(value) ? 0 : value > 0 ? 2 : 3;
    if (!name_is_known(run, metric->name))
        name_row_add(run, &run->rows, metric->name);
    ROW(run, METRIC, true, swi_sql_name(swi_clean_name(&run->clean_names, metric->name)),
        swi_sql_integer(record->step), swi_sql_integer(run->row++),
        swi_sql_integer(swi_record_wall_ns(run, record)), swi_sql_real(special ? NAN : value),
        swi_sql_integer(special), swi_sql_integer(metric->by == SW_BY_PROFILER));
    swi_oldest_rows_note(&run->oldest, METRIC_BYTES, run->row - 1, record->step);
    thinned_add(run, record, i);
}

/* Returns the time of all calls of an action in a step, or -1 if there are none. */
static int64_t part_of(const struct sw_step *step, int action)
{
    int64_t ns = -1;
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        if (part->action_id == action && !part->inner)
            ns = (ns < 0 ? 0 : ns) + part->duration_ns;
    }
    return ns;
}

/* What is not known is below 0. */
static struct swi_sql_value known(int64_t value)
{
    return value < 0 ? swi_sql_real(NAN) : swi_sql_integer(value);
}

/* Adds what a row of a step is the mean of. */
static void thinned_step_add(struct swi_sqlite_run *run, const struct swi_step_group *group)
{
    ROW(run, THINNED_STEP, true, swi_sql_integer(run->row), swi_sql_integer(group->count),
        known(group->sum.samples), known(part_of(&group->sum, SW_DRAW)),
        known(part_of(&group->sum, SW_BATCH)), known(part_of(&group->min, SW_DRAW)),
        known(part_of(&group->max, SW_DRAW)), known(part_of(&group->min, SW_BATCH)),
        known(part_of(&group->max, SW_BATCH)));
    swi_oldest_rows_note(&run->oldest, STEP_BYTES, run->row, INT64_MIN);
}

/* Returns the mean of a sum, rounded; what is not known stays so. */
static int64_t mean_of(int64_t sum, int64_t count)
{
    return sum < 0 ? sum : (sum + count / 2) / count;
}

static void step_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    const struct sw_step *step = record->step_done;
    const struct swi_step_group *group = swi_thinned_steps(run->thinning, record);
    int64_t count = group ? group->count : 1;
    if (count > 1)
        thinned_step_add(run, group);
    ROW(run, STEP, true, swi_sql_integer(run->row++), swi_sql_integer(record->step),
        swi_sql_integer(record->epoch),
        swi_sql_text(step->phase == SW_PHASE_VALID ? "valid" : "train"),
        known(mean_of(step->samples, count)), swi_sql_integer(swi_record_wall_ns(run, record)),
        known(mean_of(part_of(step, SW_DRAW), count)),
        known(mean_of(part_of(step, SW_BATCH), count)));
    swi_oldest_rows_note(&run->oldest, STEP_BYTES, run->row - 1, INT64_MIN);
}

static void report_row_add(struct swi_sqlite_run *run, const struct sw_record *record,
                           const struct sw_report_row *row)
{
    const struct sw_distribution *d = &row->durations;
    double unit = row->calls ? 1e9 : NAN;
    ROW(run, REPORT, record->type == SW_RECORD_EPOCH, swi_sql_integer(record->fit),
        swi_sql_integer(record->type == SW_RECORD_EPOCH ? record->epoch : -1),
        swi_sql_text(row->phase), swi_sql_name(row->action), swi_sql_integer(row->calls),
        swi_sql_real(row->mean_ns / unit), swi_sql_real(row->std_ns / unit),
        swi_sql_real(row->total_ns / unit), swi_sql_real(row->self_ns / unit),
        swi_sql_real(d->min / unit), swi_sql_real(d->max / unit), swi_sql_real(row->p50_ns / unit),
        swi_sql_real(row->p95_ns / unit), swi_sql_real(row->p99_ns / unit),
        swi_sql_real(row->share), swi_sql_real(row->samples_per_s));
}

static void end_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    const struct sw_end *end = record->end;
    ROW(run, RUN_END, false, swi_sql_integer(swi_record_wall_ns(run, record)),
        swi_sql_integer(end->exit_status), swi_sql_integer(end->signal),
        swi_sql_integer(end->interrupted));
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Adds a row with a number of its own, at a step. */
#define ROW_AT_STEP(run, statement, droppable, record, ...)                                        \
    ROW(run, statement, droppable, swi_sql_integer((run)->row++), swi_sql_integer((record)->step), \
        swi_sql_integer(swi_record_wall_ns(run, record)), __VA_ARGS__)

/* Returns what the newest row takes. With more than a quarter of a page, it has pages of its own.
 */
static int64_t value_bytes(const struct swi_rows *rows)
{
    enum { QUARTER = 1024, PAGE = 4096 };
    int64_t bytes = swi_rows_last(rows);
    return bytes < QUARTER ? bytes : bytes + PAGE;
}

static void value_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    SWI_FREED struct swi_text line = {0};
    swi_value_line(&line, &run->files, record);
    if (line.failed) {
        run->rows.dropped++;
    } else {
        line.data[line.size - 1] = '\0'; /* the line feed */
        ROW_AT_STEP(run, VALUE, true, record, swi_sql_text(line.data));
        swi_oldest_rows_keep(&run->oldest, value_bytes(&run->rows), run->row - 1);
    }
}

static void alert_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    const struct sw_alert *alert = record->alert;
    ROW_AT_STEP(run, ALERT, false, record, swi_sql_text(swi_level_word(alert->level)),
                swi_sql_name(alert->title), swi_sql_name(alert->text));
}

static void summary_add(struct swi_sqlite_run *run, const struct sw_summary_value *summary)
{
    ROW(run, SUMMARY, false, swi_sql_name(summary->name),
        summary->text ? swi_sql_name(summary->text) : swi_sql_real(summary->value));
}

/* ---- the oldest rows ------------------------------------------------------------------------- */

static void part_remove(struct swi_sqlite_run *run, const struct swi_rows_part *part, int64_t end)
{
    ROW(run, REMOVE_METRIC, false, swi_sql_integer(part->step), swi_sql_integer(end));
    ROW(run, REMOVE_THINNED_METRIC, false, swi_sql_integer(part->step), swi_sql_integer(end));
    ROW(run, REMOVE_STEP, false, swi_sql_integer(end));
    ROW(run, REMOVE_THINNED_STEP, false, swi_sql_integer(end));
    if (run->oldest.kept_end && run->oldest.kept_end < end)
        ROW(run, REMOVE_VALUE, false, swi_sql_integer(run->oldest.kept_end), swi_sql_integer(end));
}

/* ---- all ------------------------------------------------------------------------------------- */

static void files_begin(struct swi_sqlite_run *run, struct sw_sink *sink, const char *database)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s.files/%s", PATH_MAX - 300, database, run->uid);
    swi_value_files_in(&run->files, sink, folder, "files");
    run->files.table_max = TABLE_MAX;
}

/* Puts the run, its configuration and the names before the rows that wait. */
static void again(struct swi_sqlite_run *run)
{
    struct swi_rows rows = {.dropped = run->rows.dropped};
    swi_rows_append(&rows, &run->kept, 0);
    for (size_t i = 0; i < SWI_NAMES_SEEN; i++)
        if (run->names[i])
            name_row_add(run, &rows, run->names[i]);
    swi_rows_append(&rows, &run->rows, 0);
    swi_rows_free(&run->rows);
    run->rows = rows;
}

static void record_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    if (record->run)
        run_add(run);
    else if (record->hparam)
        config_add(run, record->hparam);
    else if (record->step_done)
        step_add(run, record);
    else if (record->end)
        end_add(run, record);
    else if (record->value)
        value_add(run, record);
    else if (record->alert)
        alert_add(run, record);
    else if (record->summary)
        summary_add(run, record->summary);
    for (size_t i = 0; i < record->metrics.count; i++)
        metric_add(run, record, i);
    for (size_t i = 0; record->report && i < record->report->count; i++)
        report_row_add(run, record, sw_report_row(record->report, i));
}

static void alive_add(struct swi_sqlite_run *run, int64_t now_ns)
{
    ROW(run, RUN_ALIVE, true, swi_sql_integer(now_ns));
}

const struct swi_layout swi_layout_own = {
    .name = "stepwatch",
    .application_id = APPLICATION,
    .version = VERSION,
    .schema = swi_own_schema,
    .whole = "SELECT count(*)=4 FROM sqlite_schema WHERE name='summaries' "
             "OR (name='latest' AND sql LIKE '% CROSS JOIN metric %') "
             "OR (name='steps' AND sql LIKE '% thinned_step %') "
             "OR (name='runs' AND sql LIKE '%other.host=run.host%')",
    .statement = statements,
    .wants = SWI_SQLITE_WANTS,
    .check = check,
    .files_begin = files_begin,
    .again = again,
    .record = record_add,
    .remove = part_remove,
    .flush = alive_add,
};
