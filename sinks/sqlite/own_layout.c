/* SPDX-License-Identifier: MIT */
/* The layout `stepwatch`: a database for many runs, written by any number of programs. Its
 * interface is the views; the tables may change with user_version. */
#include "core/text/characters.h"
#include "core/text/hash.h"
#include "sinks/sqlite/own_layout.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, APPLICATION = 0x73777463 /* "swtc" */ };

static const char *const schema[] = {
    /* A run was killed if it has no ended_ns and an old alive_ns, the time of its newest
     * transaction. */
    "CREATE TABLE run(id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, "
    "program TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, "
    "rank INTEGER NOT NULL DEFAULT 0, stepwatch TEXT NOT NULL, mode TEXT NOT NULL, "
    "started_ns INTEGER NOT NULL, ended_ns INTEGER, exit_status INTEGER, signal INTEGER, "
    "interrupted INTEGER, alive_ns INTEGER NOT NULL)",
    /* A value is an integer, a real or a text. */
    "CREATE TABLE config(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "name TEXT NOT NULL, value, PRIMARY KEY(run, name)) WITHOUT ROWID",
    /* raw: the bytes of a name that is not UTF-8. */
    "CREATE TABLE name(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, raw BLOB)",
    /* A NaN has no value and special 1; infinities have special 2 and 3. */
    "CREATE TABLE metric(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "name INTEGER NOT NULL, step INTEGER NOT NULL, seq INTEGER NOT NULL, "
    "wall_ns INTEGER NOT NULL, value REAL, special INTEGER NOT NULL DEFAULT 0, "
    "by_profiler INTEGER NOT NULL, PRIMARY KEY(run, name, step, seq)) WITHOUT ROWID",
    /* A cancelled step has no samples. */
    "CREATE TABLE step(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "seq INTEGER NOT NULL, step INTEGER NOT NULL, epoch INTEGER NOT NULL, phase TEXT NOT NULL, "
    "samples INTEGER, wall_ns INTEGER NOT NULL, draw_ns INTEGER, batch_ns INTEGER, "
    "PRIMARY KEY(run, seq)) WITHOUT ROWID",
    /* epoch is -1 for the report at the end of the fit. */
    "CREATE TABLE report(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "fit INTEGER NOT NULL, epoch INTEGER NOT NULL, phase TEXT NOT NULL, action TEXT NOT NULL, "
    "calls INTEGER NOT NULL, mean_s REAL, std_s REAL, total_s REAL, self_s REAL, min_s REAL, "
    "max_s REAL, p50_s REAL, p95_s REAL, p99_s REAL, share REAL, samples_per_s REAL, "
    "PRIMARY KEY(run, fit, epoch, phase, action)) WITHOUT ROWID",
    "CREATE VIEW runs AS SELECT uid, name, program, host, rank, "
    "datetime(started_ns/1000000000,'unixepoch') AS started, "
    "(coalesce(ended_ns, alive_ns)-started_ns)/1e9 AS seconds, "
    "CASE WHEN ended_ns IS NULL THEN "
    "CASE WHEN alive_ns < (julianday('now')-2440587.5)*86400e9-60e9 THEN 'killed' "
    "ELSE 'running' END "
    "WHEN signal THEN 'signal '||signal WHEN exit_status THEN 'failed' ELSE 'finished' END "
    "AS state FROM run",
    "CREATE VIEW metrics AS SELECT run.name AS run, run.uid, n.name AS metric, m.step, "
    "(m.wall_ns-run.started_ns)/1e9 AS seconds, "
    "CASE m.special WHEN 2 THEN 9e999 WHEN 3 THEN -9e999 ELSE m.value END AS value, "
    "m.special=1 AS is_nan FROM metric m JOIN run ON run.id=m.run JOIN name n ON n.id=m.name",
    "CREATE VIEW latest AS SELECT run, uid, metric, max(step) AS step, value, is_nan FROM metrics "
    "GROUP BY uid, metric",
    "CREATE VIEW steps AS SELECT run.name AS run, run.uid, s.step, s.epoch, s.phase, s.samples, "
    "(s.wall_ns-run.started_ns)/1e9 AS seconds, s.draw_ns/1e9 AS draw_s, "
    "s.batch_ns/1e9 AS batch_s FROM step s JOIN run ON run.id=s.run",
    "CREATE VIEW reports AS SELECT run.name AS run, run.uid, r.* FROM report r "
    "JOIN run ON run.id=r.run WHERE r.epoch=-1",
    NULL,
};

#define RUN "(SELECT id FROM run WHERE uid=?1)"

enum { RUN_ADD, RUN_ALIVE, RUN_END, CONFIG, NAME, METRIC, STEP, REPORT };

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

/* ---- rows --------------------------------------------------------------------------------------
 */

/* Adds a name, with \xNN for each byte that is not UTF-8. */
static void name_add(struct swi_rows *rows, const char *name)
{
    size_t size = strlen(name);
    char *repaired = swi_utf8_is_valid(name, size) ? NULL : swi_utf8_repair(name, size);
    swi_rows_text(rows, repaired ? repaired : name);
    free(repaired);
}

static void begin(struct swi_sqlite_run *run, int statement)
{
    swi_rows_begin(&run->rows, statement);
    swi_rows_text(&run->rows, run->uid);
}

static void run_add(struct swi_sqlite_run *run)
{
    const struct sw_run *r = run->run;
    begin(run, RUN_ADD);
    name_add(&run->rows, r->name);
    name_add(&run->rows, r->program);
    name_add(&run->rows, r->host);
    swi_rows_integer(&run->rows, r->pid);
    swi_rows_integer(&run->rows, r->rank);
    swi_rows_text(&run->rows, r->version);
    swi_rows_text(&run->rows, r->mode == SW_MODE_SIMPLE ? "simple" : "throughput");
    swi_rows_integer(&run->rows, run->started_ns);
    swi_rows_end(&run->rows, false);
}

static void config_add(struct swi_sqlite_run *run, const struct sw_hparam *hparam)
{
    begin(run, CONFIG);
    name_add(&run->rows, hparam->name);
    if (hparam->type == SW_HPARAM_INT)
        swi_rows_integer(&run->rows, hparam->integer);
    else if (hparam->type == SW_HPARAM_FLOAT)
        swi_rows_real(&run->rows, hparam->number);
    else
        name_add(&run->rows, hparam->string);
    swi_rows_end(&run->rows, true);
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

static void name_row_add(struct swi_sqlite_run *run, const char *name)
{
    size_t size = strlen(name);
    if (name_is_known(run, name))
        return;
    swi_rows_begin(&run->rows, NAME);
    name_add(&run->rows, name);
    if (swi_utf8_is_valid(name, size))
        swi_rows_null(&run->rows);
    else
        swi_rows_bytes(&run->rows, name, size);
    swi_rows_end(&run->rows, false);
}

static void metric_add(struct swi_sqlite_run *run, const struct sw_record *record,
                       const struct sw_metric *metric)
{
    double value = metric->value;
    name_row_add(run, metric->name);
    begin(run, METRIC);
    name_add(&run->rows, metric->name);
    swi_rows_integer(&run->rows, record->step);
    swi_rows_integer(&run->rows, run->row++);
    swi_rows_integer(&run->rows, swi_record_wall_ns(run, record));
    swi_rows_real(&run->rows, isfinite(value) ? value : NAN);
    swi_rows_integer(&run->rows, isnan(value) ? 1 : !isinf(value) ? 0 : value > 0 ? 2 : 3);
    swi_rows_integer(&run->rows, metric->by == SW_BY_PROFILER);
    swi_rows_end(&run->rows, true);
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

static void known_add(struct swi_rows *rows, int64_t value)
{
    if (value < 0)
        swi_rows_null(rows);
    else
        swi_rows_integer(rows, value);
}

static void step_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    const struct sw_step *step = record->step_done;
    begin(run, STEP);
    swi_rows_integer(&run->rows, run->row++);
    swi_rows_integer(&run->rows, record->step);
    swi_rows_integer(&run->rows, record->epoch);
    swi_rows_text(&run->rows, step->phase == SW_PHASE_VALID ? "valid" : "train");
    known_add(&run->rows, step->samples);
    swi_rows_integer(&run->rows, swi_record_wall_ns(run, record));
    known_add(&run->rows, part_of(step, SW_DRAW));
    known_add(&run->rows, part_of(step, SW_BATCH));
    swi_rows_end(&run->rows, true);
}

static void report_row_add(struct swi_sqlite_run *run, const struct sw_record *record,
                           const struct sw_report_row *row)
{
    const struct sw_distribution *d = &row->durations;
    const double ns[] = {row->mean_ns, row->std_ns, row->total_ns, row->self_ns, d->min,
                         d->max,       row->p50_ns, row->p95_ns,   row->p99_ns};
    begin(run, REPORT);
    swi_rows_integer(&run->rows, record->fit);
    swi_rows_integer(&run->rows, record->type == SW_RECORD_EPOCH ? record->epoch : -1);
    swi_rows_text(&run->rows, row->phase);
    name_add(&run->rows, row->action);
    swi_rows_integer(&run->rows, row->calls);
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        swi_rows_real(&run->rows, row->calls ? ns[i] / 1e9 : NAN);
    swi_rows_real(&run->rows, row->share);
    swi_rows_real(&run->rows, row->samples_per_s);
    swi_rows_end(&run->rows, record->type == SW_RECORD_EPOCH);
}

static void end_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    begin(run, RUN_END);
    swi_rows_integer(&run->rows, swi_record_wall_ns(run, record));
    swi_rows_integer(&run->rows, record->end->exit_status);
    swi_rows_integer(&run->rows, record->end->signal);
    swi_rows_integer(&run->rows, record->end->interrupted);
    swi_rows_end(&run->rows, false);
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
    for (size_t i = 0; i < record->metrics.count; i++)
        metric_add(run, record, sw_record_metric(record, i));
    for (size_t i = 0; record->report && i < record->report->count; i++)
        report_row_add(run, record, sw_report_row(record->report, i));
}

static void alive_add(struct swi_sqlite_run *run, int64_t now_ns)
{
    begin(run, RUN_ALIVE);
    swi_rows_integer(&run->rows, now_ns);
    swi_rows_end(&run->rows, true);
}

const struct swi_layout swi_layout_own = {
    .name = "stepwatch",
    .application_id = APPLICATION,
    .version = VERSION,
    .schema = schema,
    .statement = statements,
    .wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) |
             SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT) |
             SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_MONITOR),
    .check = check,
    .record = record_add,
    .flush = alive_add,
};
