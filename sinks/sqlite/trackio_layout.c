/* SPDX-License-Identifier: MIT */
/* The layout `trackio`: the database of a project as in Trackio 0.43, so that Trackio's command and
 * page show the run. Trackio adds whatever else it needs. */

#include "sinks/sqlite/database_layout.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "sinks/common/report_output.h"
#include "sinks/common/sample_names.h"
#include "sinks/common/value_table.h"

#include <math.h>
#include <string.h>

/* ---- samples of monitors under the names that Trackio's client gives them -------------------- */

enum { MEGABYTE = 1000000, GIBIBYTE = 1 << 30 };

/* Of all disks together. */
static const struct swi_sample_name names[] = {
    {"system/cpu_percent", "cpu/utilization", 1, false},
    {"system/memory_total_bytes", "memory/used", GIBIBYTE, false}, /* less what is available */
    {"system/memory_total_bytes", "memory/total", GIBIBYTE, false},
    {"system/memory_available_bytes", "memory/available", GIBIBYTE, false},
    {"system/memory_percent", "memory/percent", 1, false},
    {"system/swap_percent", "swap/percent", 1, false},
    {"system/disk/*/read_bytes_per_s", "disk/read_mb_per_sec", MEGABYTE, false},
    {"system/disk/*/written_bytes_per_s", "disk/write_mb_per_sec", MEGABYTE, false},
    {"system/network/received_bytes_per_s", "network/recv_mb_per_sec", MEGABYTE, false},
    {"system/network/sent_bytes_per_s", "network/sent_mb_per_sec", MEGABYTE, false},
};
enum { NAMES = sizeof names / sizeof *names, USED = 1, AVAILABLE = 3 };

static void pair_add(struct swi_text *json, const char *name, double value)
{
    swi_json_format(json, json->size ? ",%s:%g" : "{%s:%g", name, value);
}

/* Returns the sum of the values that a row names; NAN if there are none. */
static double sum_of(const struct sw_record *record, const struct swi_sample_name *row)
{
    char name[SWI_SAMPLE_NAME];
    double sum = NAN;
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (swi_sample_name(name, metric->name, row->metric, row->name))
            sum = isnan(sum) ? metric->value : sum + metric->value;
    }
    return sum;
}

static void renamed_add(struct swi_text *json, const struct sw_record *record)
{
    for (size_t i = 0; i < NAMES; i++) {
        double value = sum_of(record, &names[i]);
        if (i == USED)
            value -= sum_of(record, &names[AVAILABLE]);
        if (!isnan(value))
            pair_add(json, names[i].name, value / names[i].unit);
    }
}

static bool is_renamed(const char *metric)
{
    char name[SWI_SAMPLE_NAME];
    for (size_t i = 0; i < NAMES; i++)
        if (swi_sample_name(name, metric, names[i].metric, names[i].name))
            return true;
    return false;
}

/* Adds a sample as a JSON object. Values that Trackio does not have keep their names. */
static void trackio_sample(struct swi_text *json, const struct sw_record *record)
{
    renamed_add(json, record);
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (!is_renamed(metric->name))
            pair_add(json, metric->name, metric->value);
    }
    swi_text_put(json, json->size ? "}" : "{}");
}

/* ---- the tables of a project of Trackio ------------------------------------------------------ */

enum { VERSION = 2 };

/* A row of a step that is larger than this gets no further values: they are another row. */
enum { OPEN_MAX = 1 << 20 };

/* What a row takes in the database besides its values, measured. */
enum { INDEX_BYTES = 155 };

static const char *const schema[] = {
    "CREATE TABLE IF NOT EXISTS metrics(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT "
    "NULL, "
    "timestamp TEXT NOT NULL, run_name TEXT NOT NULL, step INTEGER NOT NULL, "
    "metrics TEXT NOT NULL, log_id TEXT, space_id TEXT)",
    "CREATE TABLE IF NOT EXISTS configs(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT "
    "NULL, "
    "run_name TEXT NOT NULL, config TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE(run_id))",
    "CREATE TABLE IF NOT EXISTS system_metrics(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT "
    "NOT NULL, "
    "timestamp TEXT NOT NULL, run_name TEXT NOT NULL, metrics TEXT NOT NULL, log_id TEXT, "
    "space_id TEXT)",
    "CREATE TABLE IF NOT EXISTS alerts(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, "
    "timestamp TEXT NOT NULL, run_name TEXT NOT NULL, title TEXT NOT NULL, text TEXT, "
    "level TEXT NOT NULL DEFAULT 'warn', step INTEGER, alert_id TEXT)",
    "CREATE INDEX IF NOT EXISTS idx_metrics_run_step ON metrics(run_id, step)",
    "CREATE INDEX IF NOT EXISTS idx_metrics_run_timestamp ON metrics(run_id, timestamp)",
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_metrics_log_id ON metrics(log_id) WHERE log_id IS NOT "
    "NULL",
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_system_metrics_log_id ON system_metrics(log_id) "
    "WHERE log_id IS NOT NULL",
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_alerts_alert_id ON alerts(alert_id) WHERE alert_id IS "
    "NOT NULL",
    NULL,
};

enum { METRICS, CONFIG, SYSTEM, ALERT, REMOVE_METRICS, REMOVE_SYSTEM };

/* The ids of rows are made of their numbers. A row of a text, a table or the like has more than
 * numbers. */
#define REMOVE(table)                                                                              \
    "WITH RECURSIVE number(n) AS (VALUES(?2) UNION ALL SELECT n+1 FROM number WHERE n+1<?3) "      \
    "DELETE FROM " table " WHERE log_id IN (SELECT ?1||'-'||n FROM number)"

static const char *const statements[] = {
    [METRICS] = "INSERT OR IGNORE INTO metrics(run_id, run_name, timestamp, step, metrics, log_id) "
                "VALUES(?1,?2,?3,?4,?5,?6)",
    [CONFIG] = "INSERT INTO configs(run_id, run_name, config, created_at) VALUES(?1,?2,?3,?4) "
               "ON CONFLICT(run_id) DO UPDATE SET config=excluded.config",
    [SYSTEM] = "INSERT OR IGNORE INTO system_metrics(run_id, run_name, timestamp, metrics, log_id) "
               "VALUES(?1,?2,?3,?4,?5)",
    [ALERT] = "INSERT OR IGNORE INTO alerts(run_id, run_name, timestamp, title, text, level, step, "
              "alert_id) VALUES(?1,?2,?3,?4,?5,?6,?7,?8)",
    [REMOVE_METRICS] = REMOVE("metrics") " AND substr(metrics,1,10)<>'{\"report\":' AND "
                                         "(instr(metrics,'{\"_type\":')=0 OR "
                                         "CAST(substr(log_id,34) AS INTEGER)>=?4)",
    [REMOVE_SYSTEM] = REMOVE("system_metrics"),
    NULL,
};

/* Returns whether the columns that we write exist. Older databases lack some. */
static bool has_columns(sqlite3 *db)
{
    static const char *const wanted[] = {
        "SELECT run_id, run_name, timestamp, step, metrics, log_id FROM metrics LIMIT 0",
        "SELECT run_id, run_name, config, created_at FROM configs LIMIT 0",
        "SELECT run_id, run_name, timestamp, metrics, log_id FROM system_metrics LIMIT 0",
        ("SELECT run_id, run_name, timestamp, title, text, level, step, alert_id FROM alerts "
         "LIMIT 0"),
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sqlite3_exec(db, wanted[i], NULL, NULL, NULL) == SQLITE_ERROR)
            return false;
    return true;
}

static int check(sqlite3 *db, int application_id, int version, struct sw_error *err)
{
    (void)application_id;
    if (version >= VERSION && has_columns(db))
        return 0;
    return sw_error_set(err, SW_EINVAL,
                        "%s: is a database of another version of Trackio, or of another program: "
                        "`trackio show` brings an older one up to date",
                        sqlite3_db_filename(db, "main"));
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define ROW(run, statement, droppable, ...)                                                        \
    SWI_ROW(&(run)->rows, statement, droppable, swi_sql_text((run)->uid),                          \
            swi_sql_name((run)->name), __VA_ARGS__)

/* The texts of the next row. */
struct stamp {
    char time[SWI_ISO_DATE];
    char id[64]; /* that no other row of any run has */
};

static struct stamp stamp_of(const struct swi_sqlite_run *run, int64_t wall_ns)
{
    struct stamp stamp;
    swi_iso_date(stamp.time, wall_ns / 1000000000, (int)(wall_ns % 1000000000 / 1000), "+00:00");
    snprintf(stamp.id, sizeof stamp.id, "%s-%" PRId64, run->uid, run->row);
    return stamp;
}

/* Adds the row of an object, and empties it. Returns false if out of memory. */
static bool object_row_add(struct swi_sqlite_run *run, struct swi_object *object, int64_t step,
                           int64_t wall_ns, bool droppable)
{
    SWI_FREED struct swi_text json = {0};
    const struct stamp stamp = stamp_of(run, wall_ns);
    swi_object_take(object, &json);
    bool fine = !json.failed;
    if (!fine) {
        run->rows.dropped++;
    } else {
        ROW(run, METRICS, droppable, swi_sql_text(stamp.time), swi_sql_integer(step),
            swi_sql_text(json.data), swi_sql_text(stamp.id));
        run->row++;
    }
    return fine;
}

/* Writes the values of a step as one row. If a value is given twice, the last one counts. */
static void open_close(struct swi_sqlite_run *run)
{
    bool added =
        run->open.count && object_row_add(run, &run->open, run->open_step, run->open_ns, true);
    int64_t bytes = swi_rows_last(&run->rows) + INDEX_BYTES;
    if (added && run->open_stays)
        swi_oldest_rows_keep(&run->oldest, bytes, run->row - 1);
    else if (added)
        swi_oldest_rows_note(&run->oldest, bytes, run->row - 1, INT64_MIN);
    run->open_stays = false;
}

/* Begins the row of a record's step if it is not open. */
static void open_to(struct swi_sqlite_run *run, const struct sw_record *record)
{
    if (run->open_step != record->step || run->open.text.size > OPEN_MAX)
        open_close(run);
    if (!run->open.count)
        run->open_ns = swi_record_wall_ns(run, record);
    run->open_step = record->step;
}

static void metric_put(void *arg, const struct sw_metric *metric)
{
    struct swi_sqlite_run *run = arg;
    swi_object_key(&run->open, swi_clean_name(&run->clean_names, metric->name));
    swi_number_json(&run->open.text, metric->value);
}

static void metrics_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    open_to(run, record);
    for (size_t i = 0; i < record->metrics.count; i++) {
        metric_put(run, sw_record_metric(record, i));
        swi_thinned_each(run->thinning, record, i, metric_put, run);
    }
}

/* A sample of a monitor is a row of its own, which has no step. */
static void sample_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    SWI_FREED struct swi_text json = {0};
    const struct stamp stamp = stamp_of(run, swi_record_wall_ns(run, record));
    trackio_sample(&json, record);
    if (!json.failed) {
        ROW(run, SYSTEM, true, swi_sql_text(stamp.time), swi_sql_text(json.data),
            swi_sql_text(stamp.id));
        swi_oldest_rows_note(&run->oldest, swi_rows_last(&run->rows), run->row++, INT64_MIN);
    }
}

static void value_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    open_to(run, record);
    run->open_stays = true;
    swi_trackio_value(run, record);
}

/* Trackio has no summary of a run, so it is values of the current step. */
static void summary_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    const struct sw_summary_value *summary = record->summary;
    open_to(run, record);
    run->open_stays = true;
    swi_object_key(&run->open, swi_clean_name(&run->clean_names, summary->name));
    if (summary->text)
        swi_trackio_markdown(&run->open.text, summary->text);
    else
        swi_number_json(&run->open.text, summary->value);
}

static void alert_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    static const char *const levels[] = {"info", "warn", "error"};
    const struct sw_alert *alert = record->alert;
    const struct stamp stamp = stamp_of(run, swi_record_wall_ns(run, record));
    ROW(run, ALERT, false, swi_sql_text(stamp.time), swi_sql_name(alert->title),
        swi_sql_name(alert->text), swi_sql_text(levels[swi_level_of(alert->level)]),
        swi_sql_integer(record->step), swi_sql_text(stamp.id));
    run->row++;
}

/* Names that begin with _ belong to Trackio. If one is given twice, its last value counts. */
static void hparam_add(struct swi_sqlite_run *run, const struct sw_hparam *hparam)
{
    const char *own = hparam->name + strspn(hparam->name, "_"), *name = *own ? own : "unnamed";
    struct swi_text *json =
        swi_map_item(&run->hparams, &run->hparam, sizeof *json, name, strlen(name));
    if (!json)
        return;
    json->size = 0;
    if (hparam->type == SW_HPARAM_INT)
        swi_text_integer(json, hparam->integer);
    else if (hparam->type == SW_HPARAM_FLOAT)
        swi_number_json(json, hparam->number);
    else
        swi_escape_json(json, hparam->string);
    run->config_changed = true;
}

static void config_add(struct swi_sqlite_run *run)
{
    SWI_FREED struct swi_text json = {0};
    const char *job = SW_HAS(run->run->size, run->run, job) ? run->run->job : "";
    const struct stamp stamp = stamp_of(run, run->started_ns);
    swi_text_put(&json, "{");
    for (size_t i = 0; i < run->hparams.count; i++) {
        swi_escape_json(&json, run->hparams.name[i].text);
        swi_text_format(&json, ":%s,", run->hparam[i].data);
        json.failed |= run->hparam[i].failed;
    }
    swi_text_format(&json, "\"_Username\":null,\"_Created\":\"%s\",\"_Group\":", stamp.time);
    if (*job)
        swi_json_format(&json, "%s}", job);
    else
        swi_text_put(&json, "null}");
    if (!json.failed)
        ROW(run, CONFIG, false, swi_sql_text(json.data), swi_sql_text(stamp.time));
    run->config_changed = false;
}

static void report_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    SWI_FREED struct swi_text text = {0};
    struct swi_object row = {0};
    swi_markdown_report(&text, record->report, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    swi_markdown_notes(&text, record->report);
    swi_object_key(&row, "report");
    swi_trackio_markdown(&row.text, text.data ? text.data : "");
    row.text.failed |= text.failed;
    object_row_add(run, &row, record->step, swi_record_wall_ns(run, record), false);
    swi_object_free(&row);
}

/* Trackio has no state of a run, so the exit status is a metric. */
static void end_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    struct swi_object row = {0};
    swi_object_key(&row, "stepwatch/exit_status");
    swi_text_integer(&row.text, record->end->exit_status);
    object_row_add(run, &row, record->step, swi_record_wall_ns(run, record), false);
    swi_object_free(&row);
}

static void record_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    if (record->run)
        run->config_changed = true;
    else if (record->hparam)
        hparam_add(run, record->hparam);
    else if (swi_is_sample(record))
        sample_add(run, record);
    else if (record->metrics.count)
        metrics_add(run, record);
    else if (record->value)
        value_add(run, record);
    else if (record->summary)
        summary_add(run, record);
    else if (record->alert)
        alert_add(run, record);
    if (record->report || record->end)
        open_close(run);
    if (record->report)
        report_add(run, record);
    if (record->end)
        end_add(run, record);
}

static void part_remove(struct swi_sqlite_run *run, const struct swi_rows_part *part, int64_t end)
{
    int64_t kept = run->oldest.kept_end ? run->oldest.kept_end : INT64_MAX;
    SWI_ROW(&run->rows, REMOVE_METRICS, false, swi_sql_text(run->uid), swi_sql_integer(part->first),
            swi_sql_integer(end), swi_sql_integer(kept));
    SWI_ROW(&run->rows, REMOVE_SYSTEM, false, swi_sql_text(run->uid), swi_sql_integer(part->first),
            swi_sql_integer(end));
}

/* The client reads the configuration from the database. */
static void again(struct swi_sqlite_run *run)
{
    run->config_changed = true;
}

static void flush(struct swi_sqlite_run *run, int64_t now_ns)
{
    (void)now_ns;
    if (run->config_changed)
        config_add(run);
    open_close(run);
}

const struct swi_layout swi_layout_trackio = {
    .name = "trackio",
    .version = VERSION,
    .schema = schema,
    .whole = "SELECT count(*) FROM sqlite_schema WHERE name='idx_alerts_alert_id'",
    .statement = statements,
    .wants = SWI_SQLITE_WANTS & ~(SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_EPOCH)),
    .check = check,
    .files_begin = swi_trackio_files_begin,
    .again = again,
    .record = record_add,
    .remove = part_remove,
    .flush = flush,
};
