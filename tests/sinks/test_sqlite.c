/* SPDX-License-Identifier: MIT */
/* The sink sqlite, read back by SQLite as another program does. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS(n) (n * INT64_C(1000000000))

/* Runs one statement; returns the rows as "a|b\n", valid until the next call. */
static const char *rows_of(const char *file, const char *sql)
{
    static char text[8192];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    size_t size = 0;
    ck_assert_int_eq(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(db));
    text[0] = '\0';
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0, count = sqlite3_column_count(statement); i < count; i++) {
            const unsigned char *cell = sqlite3_column_text(statement, i);
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%c",
                                     cell ? (const char *)cell : "-", i < count - 1 ? '|' : '\n');
        }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return text;
}

/* ---- layout stepwatch --------------------------------------------------------------------------
 */

START_TEST(the_views_have_the_run_its_values_its_steps_and_its_report)
{
    host_name("digits");
    struct host *host = host_open("sqlite", "database: own.db\n");
    sw_hparam_float(host_profiler(host), "lr", 0.001);
    sw_hparam_int(host_profiler(host), "epochs", 1);
    sw_hparam_int(host_profiler(host), "epochs", 2);
    sw_hparam_string(host_profiler(host), "opt", "adam");
    sw_log(host_profiler(host), "loss", 2.5);
    host_fit(host, 3);
    sw_log(host_profiler(host), "loss", 0.5);
    host_close(host);
    ck_assert_str_eq(rows_of("own.db", "SELECT name, rank, state FROM runs"),
                     "digits|0|finished\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT run, step, value FROM latest WHERE metric='loss'"),
                     "digits|2|0.5\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT name, value, typeof(value) FROM config ORDER BY 1"),
                     "epochs|2|integer\nlr|0.001|real\nopt|adam|text\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT step, phase, samples, draw_s, batch_s FROM steps"),
                     "0|train|64|0.01|0.09\n1|train|64|0.01|0.09\n2|train|64|0.01|0.09\n"
                     "2|valid|64|0.01|0.09\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT fit, calls, mean_s, total_s, samples_per_s "
                                       "FROM reports WHERE phase='train' AND action='step'"),
                     "1|2|0.1|0.2|640.0\n");
}
END_TEST

START_TEST(values_that_are_no_numbers_and_names_that_are_no_text_are_kept)
{
    struct host *host = host_open("sqlite", "database: own.db\n");
    host_metric(host, 0, "nan", NAN);
    host_metric(host, 1, "up", INFINITY);
    host_metric(host, 2, "down", -INFINITY);
    host_metric(host, 3, "odd\xff'); DROP TABLE run; --", 1);
    host_close(host);
    ck_assert_str_eq(rows_of("own.db", "SELECT metric, value, is_nan FROM metrics ORDER BY step"),
                     "nan|-|1\nup|Inf|0\ndown|-Inf|0\nodd\\xff'); DROP TABLE run; --|1.0|0\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT hex(substr(raw,1,4)) FROM name WHERE raw NOT NULL"),
                     "6F6464FF\n");
}
END_TEST

/* Opens the sink with a file that stays the same in all runs of a test. */
static struct host *open_again(const char *file)
{
    char options[600];
    snprintf(options, sizeof options, "database: %s\n", file);
    return host_open("sqlite", options);
}

static const char *fixed_file(void)
{
    static char file[512];
    scratch_enter();
    snprintf(file, sizeof file, "%s", scratch_path("folder/own.db"));
    return file;
}

START_TEST(runs_share_a_file)
{
    const char *file = fixed_file();
    for (int i = 0; i < 2; i++) {
        struct host *host = open_again(file);
        host_metric(host, 0, "loss", i);
        host_close(host);
    }
    ck_assert_str_eq(rows_of(file, "SELECT value FROM metrics ORDER BY value"), "0.0\n1.0\n");
    ck_assert_str_eq(rows_of(file, "SELECT count(DISTINCT uid) FROM runs"), "2\n");
}
END_TEST

/* Another program in the middle of a transaction. */
static sqlite3 *database_lock(const char *file)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

#define COUNT_OF_LOSS "SELECT count(*) FROM metrics WHERE metric='loss'"

START_TEST(rows_wait_for_a_locked_database)
{
    struct host *host = host_open("sqlite", "database: own.db\n");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    sqlite3 *other = database_lock("own.db");
    for (int step = 1; step <= 1000; step++)
        host_metric(host, step, "loss", step);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    ck_assert_str_eq(rows_of("own.db", COUNT_OF_LOSS), "1\n");
    sqlite3_close(other);
    host_close(host);
    ck_assert_str_eq(rows_of("own.db", COUNT_OF_LOSS), "1001\n");
}
END_TEST

START_TEST(rows_that_never_get_in_are_counted_and_told)
{
    struct sw_error err = {0};
    struct host *host = host_open_with("sqlite", "database: own.db\n", "close_timeout: 300ms\n");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    sqlite3 *other = database_lock("own.db");
    host_metric(host, 1, "loss", 2);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "rows are not in the database") &&
                      strstr(sw_error_text(&err), "own.db: it is locked by another program"),
                  "%s", sw_error_text(&err));
    sw_error_free(&err);
    sqlite3_close(other);
}
END_TEST

START_TEST(a_database_of_another_program_is_refused)
{
    static const struct {
        const char *change, *expected;
    } cases[] = {{"PRAGMA user_version=9", "was made by a newer stepwatch (version 9"},
                 {"PRAGMA application_id=7", "is a database of another program"}};
    const char *file = fixed_file();
    sqlite3 *db = NULL;
    struct sw_error err = {0};
    host_close(open_again(file));
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, cases[_i].change, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct host *host = open_again(file);
    host_metric(host, 0, "loss", 1);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), cases[_i].expected) != NULL, "%s",
                  sw_error_text(&err));
    sw_error_free(&err);
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM run"), "1\n");
}
END_TEST

static void logs_for_ever(void)
{
    struct sw_error err = {0};
    struct sw_profiler *sw = sw_open_text("profiler: {show_report: false}\n"
                                          "logger_callback: {sqlite: {database: killed.db}}\n",
                                          &err);
    int step = 0;
    while (sw) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", step++);
        usleep(500);
        sw_end_batch(sw, 1);
    }
    _exit(1);
}

static bool has_rows(void)
{
    return access("killed.db", F_OK) == 0 &&
           atoi(rows_of("killed.db", "SELECT count(*) FROM sqlite_schema")) > 0 &&
           atoi(rows_of("killed.db", "SELECT count(*) FROM metric")) > 0;
}

START_TEST(a_killed_run_leaves_a_whole_file_with_what_was_written)
{
    scratch_enter();
    pid_t child = fork();
    if (child == 0)
        logs_for_ever();
    for (int i = 0; i < 1000 && !has_rows(); i++)
        usleep(20000);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_str_eq(rows_of("killed.db", "PRAGMA integrity_check"), "ok\n");
    int count = atoi(rows_of("killed.db", "SELECT count(*) FROM metrics WHERE metric='loss'"));
    ck_assert_int_gt(count, 0);
    ck_assert_int_eq(atoi(rows_of("killed.db", "SELECT max(step) FROM metrics")), count - 1);
    ck_assert_str_eq(rows_of("killed.db", "SELECT state FROM runs"), "running\n");
}
END_TEST

/* ---- layout trackio ----------------------------------------------------------------------------
 */

/* Sets the environment as Trackio's client reads it. Returns a file of this name in its folder. */
static const char *trackio_file(const char *name)
{
    static char file[512];
    char folder[400];
    scratch_enter();
    snprintf(folder, sizeof folder, "%s", scratch_path("hub"));
    ck_assert_int_eq(setenv("HF_HOME", folder, 1), 0);
    ck_assert_int_eq(unsetenv("TRACKIO_DIR"), 0);
    snprintf(file, sizeof file, "%s/trackio/%s", folder, name);
    return file;
}

static struct host *trackio_open(const char *project)
{
    char options[200];
    snprintf(options, sizeof options, "layout: trackio\nproject: \"%s\"\n", project);
    host_name("digits");
    return host_open_with("sqlite", options, "mode: simple\n");
}

START_TEST(trackio_has_a_row_of_each_step_the_configuration_and_the_report)
{
    const char *file = trackio_file("mymodel.db");
    struct host *host = trackio_open("my.model");
    sw_hparam_float(host_profiler(host), "lr", 0.001);
    sw_hparam_int(host_profiler(host), "_private", 3);
    host_metric(host, 0, "loss", 2.5);
    host_metric(host, 1, "time", NAN);
    host_metric(host, 2, "metrics", INFINITY);
    host_close(host);
    ck_assert_str_eq(rows_of(file, "SELECT run_name, step, metrics FROM metrics LIMIT 3"),
                     "digits|0|{\"loss\":2.5}\ndigits|1|{\"__time\":\"NaN\"}\n"
                     "digits|2|{\"__metrics\":\"Infinity\"}\n");
    ck_assert_str_eq(rows_of(file,
                             "SELECT json_extract(config, '$.lr'), json_extract(config, "
                             "'$.private'), json_extract(config, '$._Username') FROM configs"),
                     "0.001|3|-\n");
    ck_assert_str_eq(rows_of(file, "SELECT json_extract(metrics, '$.report._type') FROM metrics "
                                   "WHERE metrics LIKE '{\"report\"%'"),
                     "trackio.markdown\n");
    ck_assert_str_eq(rows_of(file, "SELECT metrics FROM metrics ORDER BY id DESC LIMIT 1"),
                     "{\"stepwatch/exit_status\":0}\n");
    ck_assert_str_eq(rows_of(file, "SELECT count(DISTINCT log_id) = count(*) FROM metrics"), "1\n");
    ck_assert_str_eq(rows_of(file, "PRAGMA user_version"), "2\n");
}
END_TEST

START_TEST(a_database_of_an_older_trackio_is_left_alone)
{
    const char *file = trackio_file("digits.db");
    sqlite3 *db = NULL;
    struct sw_error err = {0};
    host_close(trackio_open("digits"));
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA user_version=1", NULL, NULL, NULL);
    sqlite3_close(db);
    struct host *host = trackio_open("digits");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "`trackio show` brings an older one up to date"),
                  "%s", sw_error_text(&err));
    sw_error_free(&err);
}
END_TEST

START_TEST(a_project_with_a_name_that_trackio_uses_is_refused)
{
    struct sw_error err = {0};
    trackio_file("");
    struct host *host = trackio_open("mine_system");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "project \"mine_system\": Trackio uses this name"),
                  "%s", sw_error_text(&err));
    sw_error_free(&err);
}
END_TEST

/* ---- monitors ----------------------------------------------------------------------------------
 */

/* A run that only a monitor has something to say of. */
static void monitored(const char *options)
{
    char yaml[700];
    struct sw_error err = {0};
    snprintf(yaml, sizeof yaml,
             "profiler: {show_report: false}\nmonitors: { interval: 100ms, system: }\n"
             "logger_callback: {sqlite: {%s}}\n",
             options);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    usleep(300000);
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
}

START_TEST(samples_of_monitors_are_metrics)
{
    scratch_enter();
    monitored("database: m.db");
    ck_assert_int_gt(atoi(rows_of("m.db", "SELECT count(*) FROM metrics WHERE metric="
                                          "'system/memory_percent' AND value BETWEEN 0 AND 100")),
                     0);
}
END_TEST

START_TEST(trackio_has_samples_of_monitors_under_its_own_names)
{
    const char *file = trackio_file("p.db");
    monitored("layout: trackio, project: p");
    ck_assert_int_gt(atoi(rows_of(file, "SELECT count(*) FROM system_metrics WHERE json_extract("
                                        "metrics, '$.\"memory/percent\"') BETWEEN 0 AND 100")),
                     0);
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM system_metrics WHERE metrics LIKE "
                                   "'%system/memory_%'"),
                     "0\n");
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM metrics WHERE metrics LIKE '%memory%'"),
                     "0\n");
}
END_TEST

SUITE(sqlite)
{
    tcase_add_test(tc, samples_of_monitors_are_metrics);
    tcase_add_test(tc, trackio_has_samples_of_monitors_under_its_own_names);
    tcase_add_test(tc, the_views_have_the_run_its_values_its_steps_and_its_report);
    tcase_add_test(tc, values_that_are_no_numbers_and_names_that_are_no_text_are_kept);
    tcase_add_test(tc, runs_share_a_file);
    tcase_add_test(tc, rows_wait_for_a_locked_database);
    tcase_add_test(tc, rows_that_never_get_in_are_counted_and_told);
    tcase_add_loop_test(tc, a_database_of_another_program_is_refused, 0, 2);
    tcase_add_test(tc, a_killed_run_leaves_a_whole_file_with_what_was_written);
    tcase_add_test(tc, trackio_has_a_row_of_each_step_the_configuration_and_the_report);
    tcase_add_test(tc, a_database_of_an_older_trackio_is_left_alone);
    tcase_add_test(tc, a_project_with_a_name_that_trackio_uses_is_refused);
}
