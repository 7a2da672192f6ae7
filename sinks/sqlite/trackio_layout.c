/* SPDX-License-Identifier: MIT */
/* The layout `trackio`: the database of a project as in Trackio 0.43, so that Trackio's command and
 * page show the run. Trackio adds whatever else it needs. */
#include "core/text/escape.h"
#include "core/text/number.h"
#include "sinks/common/markdown_report.h"
#include "sinks/sqlite/trackio_layout.h"
#include "sinks/sqlite/trackio_system.h"

#include <string.h>
#include <time.h>

enum { VERSION = 2 };

static const char *const schema[] = {
    "CREATE TABLE metrics(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, "
    "timestamp TEXT NOT NULL, run_name TEXT NOT NULL, step INTEGER NOT NULL, "
    "metrics TEXT NOT NULL, log_id TEXT, space_id TEXT)",
    "CREATE TABLE configs(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, "
    "run_name TEXT NOT NULL, config TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE(run_id))",
    "CREATE TABLE system_metrics(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, "
    "timestamp TEXT NOT NULL, run_name TEXT NOT NULL, metrics TEXT NOT NULL, log_id TEXT, "
    "space_id TEXT)",
    "CREATE TABLE alerts(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, "
    "timestamp TEXT NOT NULL, run_name TEXT NOT NULL, title TEXT NOT NULL, text TEXT, "
    "level TEXT NOT NULL DEFAULT 'warn', step INTEGER, alert_id TEXT)",
    "CREATE INDEX idx_metrics_run_step ON metrics(run_id, step)",
    "CREATE INDEX idx_metrics_run_timestamp ON metrics(run_id, timestamp)",
    "CREATE UNIQUE INDEX idx_metrics_log_id ON metrics(log_id) WHERE log_id IS NOT NULL",
    "CREATE UNIQUE INDEX idx_system_metrics_log_id ON system_metrics(log_id) "
    "WHERE log_id IS NOT NULL",
    "CREATE UNIQUE INDEX idx_alerts_alert_id ON alerts(alert_id) WHERE alert_id IS NOT NULL",
    NULL,
};

enum { METRICS, CONFIG, SYSTEM };

static const char *const statements[] = {
    [METRICS] = "INSERT OR IGNORE INTO metrics(run_id, run_name, timestamp, step, metrics, log_id) "
                "VALUES(?1,?2,?3,?4,?5,?6)",
    [CONFIG] = "INSERT INTO configs(run_id, run_name, config, created_at) VALUES(?1,?2,?3,?4) "
               "ON CONFLICT(run_id) DO UPDATE SET config=excluded.config",
    [SYSTEM] = "INSERT OR IGNORE INTO system_metrics(run_id, run_name, timestamp, metrics, log_id) "
               "VALUES(?1,?2,?3,?4,?5)",
    NULL,
};

/* Returns whether the columns that we write exist. Older databases lack some. */
static bool has_columns(sqlite3 *db)
{
    static const char *const wanted[] = {
        "SELECT run_id, run_name, timestamp, step, metrics, log_id FROM metrics LIMIT 0",
        "SELECT run_id, run_name, config, created_at FROM configs LIMIT 0",
        "SELECT run_id, run_name, timestamp, metrics, log_id FROM system_metrics LIMIT 0",
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

/* ---- texts -------------------------------------------------------------------------------------
 */

/* Writes the time in ISO 8601 with microseconds, in UTC. */
static void time_put(char text[40], int64_t wall_ns)
{
    struct tm date;
    time_t second = wall_ns / 1000000000;
    gmtime_r(&second, &date);
    size_t size = strftime(text, 40, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(text + size, 40 - size, ".%06d+00:00", (int)(wall_ns % 1000000000 / 1000));
}

/* Returns whether Trackio has a column with this name. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"project", "run",  "timestamp",
                                           "step",    "time", "metrics"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return strncmp(name, "__", 2) == 0;
}

static void key_add(struct swi_text *json, const char *name)
{
    struct swi_text key = {0};
    swi_text_put(json, json->size ? "," : "{");
    swi_text_put(&key, is_reserved(name) ? "__" : "");
    swi_text_put(&key, name);
    swi_escape_json(json, key.data ? key.data : name);
    swi_text_put(json, ":");
    swi_text_free(&key);
}

/* ---- rows --------------------------------------------------------------------------------------
 */

static void named(struct swi_sqlite_run *run, int statement)
{
    const struct sw_run *r = run->run;
    char name[512];
    snprintf(name, sizeof name, r->world_size == 1 ? "%s" : "%s rank %" PRId64, r->name, r->rank);
    swi_rows_begin(&run->rows, statement);
    swi_rows_text(&run->rows, run->uid);
    swi_rows_text(&run->rows, name);
}

static void json_row_add(struct swi_sqlite_run *run, struct swi_text *json, int64_t step,
                         int64_t wall_ns, bool droppable)
{
    char time[40], id[64];
    time_put(time, wall_ns);
    snprintf(id, sizeof id, "%s-%" PRId64, run->uid, run->row);
    swi_text_put(json, "}");
    if (!json->failed) {
        named(run, METRICS);
        swi_rows_text(&run->rows, time);
        swi_rows_integer(&run->rows, step);
        swi_rows_text(&run->rows, json->data);
        swi_rows_text(&run->rows, id);
        swi_rows_end(&run->rows, droppable);
        run->row++;
    }
    json->size = 0;
    json->failed = false;
}

/* Writes the values of a step as one row. If a value is given twice, the last one counts. */
static void open_close(struct swi_sqlite_run *run)
{
    if (run->open.size)
        json_row_add(run, &run->open, run->open_step, run->open_ns, true);
}

static void metrics_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    if (run->open_step != record->step)
        open_close(run);
    if (!run->open.size)
        run->open_ns = swi_record_wall_ns(run, record);
    run->open_step = record->step;
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        key_add(&run->open, metric->name);
        swi_number_json(&run->open, metric->value);
    }
}

/* A sample of a monitor is a row of its own, which has no step. */
static void sample_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    struct swi_text json = {0};
    char time[40], id[64];
    time_put(time, swi_record_wall_ns(run, record));
    snprintf(id, sizeof id, "%s-%" PRId64, run->uid, run->row);
    swi_trackio_sample(&json, record);
    if (!json.failed) {
        named(run, SYSTEM);
        swi_rows_text(&run->rows, time);
        swi_rows_text(&run->rows, json.data);
        swi_rows_text(&run->rows, id);
        swi_rows_end(&run->rows, true);
        run->row++;
    }
    swi_text_free(&json);
}

static bool is_sample(const struct sw_record *record)
{
    return record->metrics.count && sw_record_metric(record, 0)->by == SW_BY_MONITOR;
}

/* Names that begin with _ belong to Trackio. */
static void hparam_add(struct swi_sqlite_run *run, const struct sw_hparam *hparam)
{
    const char *name = hparam->name + strspn(hparam->name, "_");
    swi_text_put(&run->config, run->config.size ? "," : "");
    swi_escape_json(&run->config, *name ? name : "unnamed");
    swi_text_put(&run->config, ":");
    if (hparam->type == SW_HPARAM_INT)
        swi_text_integer(&run->config, hparam->integer);
    else if (hparam->type == SW_HPARAM_FLOAT)
        swi_number_json(&run->config, hparam->number);
    else
        swi_escape_json(&run->config, hparam->string);
    run->config_changed = true;
}

static void config_add(struct swi_sqlite_run *run)
{
    struct swi_text json = {0};
    const char *job = SW_HAS(run->run->size, run->run, job) ? run->run->job : "";
    char time[40];
    time_put(time, run->started_ns);
    swi_text_format(&json, "{%s%s\"_Username\":null,\"_Created\":\"%s\",\"_Group\":",
                    run->config.size ? run->config.data : "", run->config.size ? "," : "", time);
    if (*job)
        swi_escape_json(&json, job);
    swi_text_put(&json, *job ? "}" : "null}");
    if (!json.failed) {
        named(run, CONFIG);
        swi_rows_text(&run->rows, json.data);
        swi_rows_text(&run->rows, time);
        swi_rows_end(&run->rows, false);
    }
    swi_text_free(&json);
    run->config_changed = false;
}

static void report_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    struct swi_text text = {0}, json = {0};
    swi_markdown_report(&text, record->report, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    swi_markdown_notes(&text, record->report);
    swi_text_put(&json, "{\"report\":{\"_type\":\"trackio.markdown\",\"_value\":");
    swi_escape_json(&json, text.data ? text.data : "");
    swi_text_put(&json, "}");
    if (!text.failed)
        json_row_add(run, &json, record->step, swi_record_wall_ns(run, record), false);
    swi_text_free(&text);
    swi_text_free(&json);
}

/* Trackio has no state of a run, so the exit status is a metric. */
static void end_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    struct swi_text json = {0};
    key_add(&json, "stepwatch/exit_status");
    swi_text_integer(&json, record->end->exit_status);
    json_row_add(run, &json, record->step, swi_record_wall_ns(run, record), false);
    swi_text_free(&json);
}

static void record_add(struct swi_sqlite_run *run, const struct sw_record *record)
{
    if (record->run)
        run->config_changed = true;
    else if (record->hparam)
        hparam_add(run, record->hparam);
    else if (is_sample(record))
        sample_add(run, record);
    else if (record->metrics.count)
        metrics_add(run, record);
    if (record->report || record->end)
        open_close(run);
    if (record->report)
        report_add(run, record);
    if (record->end)
        end_add(run, record);
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
    .statement = statements,
    .wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) |
             SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_MONITOR),
    .check = check,
    .record = record_add,
    .flush = flush,
};
