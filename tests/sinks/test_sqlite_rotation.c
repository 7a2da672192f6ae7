/* SPDX-License-Identifier: MIT */
/* test_sqlite_rotation.c - the sink sqlite with when_full: rotate. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/values.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SIZE = 1000000 };
#define ROTATE "max_size: 1MB\nwhen_full: rotate\nthin_after: 0\n"
#define SECONDS(n) (n * INT64_C(1000000000))

/* ---- what the database has ------------------------------------------------------------------- */

static int number_take(void *number, int columns, char **text, char **names)
{
    (void)columns, (void)names;
    *(int64_t *)number = text[0] ? atoll(text[0]) : -1;
    return 0;
}

/* Returns the first column of the last row of a query. */
static int64_t number_of(const char *file, const char *sql)
{
    sqlite3 *db = NULL;
    int64_t number = -1;
    char *message = NULL;
    ck_assert_int_eq(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    ck_assert_msg(sqlite3_exec(db, sql, number_take, &number, &message) == SQLITE_OK, "%s: %s", sql,
                  message);
    sqlite3_close(db);
    return number;
}

/* With what the write-ahead log has. */
static int64_t size_of(const char *file)
{
    struct stat st;
    number_of(file, "PRAGMA wal_checkpoint(TRUNCATE)");
    ck_assert_int_eq(stat(file, &st), 0);
    return st.st_size;
}

static struct host *rotating(const char *file)
{
    char options[600];
    snprintf(options, sizeof options, "path: %s\n" ROTATE, file);
    return host_open("sqlite", options);
}

/* Steps of a loop, with one value each that is the step. */
static void steps_run(struct host *host, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        host_metric(host, i, "loss", (double)i);
        if (i % 1000 == 999)
            ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(20)), 0);
    }
}

#define FIRST_LOSS "SELECT min(step) FROM metrics WHERE metric='loss'"
#define LAST_LOSS "SELECT max(step) FROM metrics WHERE metric='loss'"

/* ---- layout stepwatch ------------------------------------------------------------------------ */

START_TEST(the_oldest_rows_are_deleted_and_the_file_stops_growing)
{
    struct host *host = rotating("own.db");
    steps_run(host, 0, 15000);
    int64_t before = size_of("own.db");
    steps_run(host, 15000, 60000);
    host_close(host);
    ck_assert_int_le(size_of("own.db"), before + before / 10);
    ck_assert_int_lt(size_of("own.db"), MAX_SIZE);
    int64_t first = number_of("own.db", FIRST_LOSS);
    ck_assert_int_gt(first, 45000);
    ck_assert_int_lt(first, 55000);
    ck_assert_int_eq(number_of("own.db", LAST_LOSS), 59999);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM metrics WHERE metric='loss'"),
                     60000 - first);
    ck_assert_int_ge(number_of("own.db", "SELECT min(step) FROM steps"), first - 1);
    ck_assert_int_eq(number_of("own.db", "SELECT max(step) FROM steps"), 59999);
}
END_TEST

START_TEST(results_and_texts_stay)
{
    struct host *host = rotating("own.db");
    struct sw_profiler *sw = host_profiler(host);
    sw_hparam_float(sw, "lr", 0.1);
    sw_log_text(sw, "plan", "what is tried");
    sw_alert(sw, SW_WARNING, "early", "it began");
    host_fit(host, 100);
    steps_run(host, 100, 30000);
    sw_summary(sw, "best", 1);
    host_close(host);
    ck_assert_int_gt(number_of("own.db", FIRST_LOSS), 20000);
    ck_assert_int_eq(
        number_of("own.db", "SELECT calls FROM report WHERE fit=1 AND epoch=-1 AND action='batch' "
                            "AND phase='train'"),
        99);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM config"), 1);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM texts"), 1);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM alerts"), 1);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM summaries"), 1);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM runs WHERE state='finished'"), 1);
}
END_TEST

START_TEST(many_texts_take_a_quarter_and_then_make_room_like_numbers)
{
    char text[1001];
    struct host *host = rotating("own.db");
    memset(text, 'x', 1000);
    text[1000] = '\0';
    for (int i = 0; i < 4000; i++) {
        sw_log_text(host_profiler(host), "sample", text);
        host_metric(host, i, "loss", i);
        if (i % 100 == 99)
            sw_flush(host_profiler(host), SECONDS(20));
    }
    host_close(host);
    ck_assert_int_lt(size_of("own.db"), MAX_SIZE);
    ck_assert_int_eq(number_of("own.db", "SELECT min(step) FROM texts"), 0);
    ck_assert_int_ge(number_of("own.db", "SELECT max(step) FROM texts"), 3998);
    int64_t texts = number_of("own.db", "SELECT count(*) FROM texts");
    ck_assert_int_gt(texts, 100);
    ck_assert_int_lt(texts, 300);
}
END_TEST

/* Values have the steps that the program gives, which say nothing of their age. */
START_TEST(the_age_of_a_row_counts_and_not_its_step)
{
    struct host *host = rotating("own.db");
    struct sw_profiler *sw = host_profiler(host);
    for (int i = 0; i < 40000; i++) {
        sw_log_at(sw, "down", i, 40000 - i);
        if (i % 100 == 0)
            sw_log_at(sw, "epoch", i, i / 100);
        if (i % 1000 == 999)
            ck_assert_int_eq(sw_flush(sw, SECONDS(20)), 0);
    }
    host_close(host);
    /* In this order, pages are half full. */
    ck_assert_int_lt(size_of("own.db"), 2 * MAX_SIZE);
    ck_assert_int_eq(number_of("own.db", "SELECT min(step) FROM metrics WHERE metric='down'"), 1);
    ck_assert_int_lt(number_of("own.db", "SELECT max(step) FROM metrics WHERE metric='down'"),
                     30000);
    ck_assert_int_gt(number_of("own.db", "SELECT min(step) FROM metrics WHERE metric='epoch'"),
                     100);
    ck_assert_int_eq(number_of("own.db", "SELECT max(step) FROM metrics WHERE metric='epoch'"),
                     399);
}
END_TEST

START_TEST(what_a_deleted_row_is_the_mean_of_is_deleted_with_it)
{
    struct host *host =
        host_open("sqlite", "path: own.db\nmax_size: 200kB\nwhen_full: rotate\nevery: 2\n");
    steps_run(host, 0, 20000);
    host_close(host);
    ck_assert_int_gt(number_of("own.db", FIRST_LOSS), 10000);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM thinned_metric t WHERE NOT EXISTS "
                                         "(SELECT * FROM metric m WHERE m.seq=t.seq)"),
                     0);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM thinned_step t WHERE NOT EXISTS "
                                         "(SELECT * FROM step s WHERE s.seq=t.seq)"),
                     0);
    ck_assert_int_gt(number_of("own.db", "SELECT count(*) FROM thinned_metric"), 100);
}
END_TEST

/* ---- other writers --------------------------------------------------------------------------- */

/* A database that stays the same in all runs of a test. */
static const char *fixed_file(void)
{
    static char file[512];
    scratch_enter();
    snprintf(file, sizeof file, "%s", scratch_path("folder/own.db"));
    return file;
}

START_TEST(the_rows_of_other_runs_stay)
{
    char options[600];
    const char *file = fixed_file();
    snprintf(options, sizeof options, "path: %s\n", file);
    struct host *host = host_open("sqlite", options);
    steps_run(host, 0, 3000);
    host_close(host);
    for (int run = 0; run < 2; run++) {
        host = rotating(file);
        steps_run(host, 0, 20000);
        host_close(host);
    }
    ck_assert_int_eq(number_of(file, "SELECT count(*) FROM metrics WHERE metric='loss' AND "
                                     "uid=(SELECT uid FROM run WHERE id=1)"),
                     3000);
    for (int run = 2; run <= 3; run++) {
        char sql[200];
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM metric WHERE run=%d AND "
                 "name=(SELECT id FROM name WHERE name='loss')",
                 run);
        ck_assert_int_gt(number_of(file, sql), 1000);
        ck_assert_int_lt(number_of(file, sql), 12000);
    }
}
END_TEST

/* The statements that delete wait on the disk with the rows. */
START_TEST(a_locked_database_has_the_same_rows_later)
{
    sqlite3 *other = NULL;
    struct host *host = rotating("own.db");
    steps_run(host, 0, 10000);
    ck_assert_int_eq(sqlite3_open("own.db", &other), SQLITE_OK);
    sqlite3_busy_timeout(other, 10000);
    ck_assert_int_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    steps_run(host, 10000, 40000);
    ck_assert(host_has("own.db-waiting"));
    sqlite3_close(other);
    steps_run(host, 40000, 41000);
    host_close(host);
    int64_t first = number_of("own.db", FIRST_LOSS);
    ck_assert_int_gt(first, 25000);
    ck_assert_int_eq(number_of("own.db", "SELECT count(*) FROM metrics WHERE metric='loss'"),
                     41000 - first);
    ck_assert_int_eq(number_of("own.db", LAST_LOSS), 40999);
    ck_assert(!host_has("own.db-waiting"));
}
END_TEST

/* ---- layout trackio -------------------------------------------------------------------------- */

START_TEST(a_project_of_trackio_has_the_newest_rows_the_texts_and_the_report)
{
    scratch_enter();
    setenv("TRACKIO_DIR", scratch_path("trackio"), 1);
    char file[600];
    snprintf(file, sizeof file, "%s", scratch_path("trackio/p.db"));
    struct host *host = host_open("sqlite", "layout: trackio\nproject: p\n" ROTATE);
    sw_log_text(host_profiler(host), "plan", "what is tried");
    host_fit(host, 100);
    steps_run(host, 100, 15000);
    int64_t before = size_of(file);
    steps_run(host, 15000, 40000);
    host_close(host);
    ck_assert_int_le(size_of(file), before + before / 10);
    ck_assert_int_lt(size_of(file), MAX_SIZE + MAX_SIZE / 4);
    int64_t first =
        number_of(file, "SELECT min(step) FROM metrics WHERE metrics NOT LIKE '%_type%'");
    ck_assert_int_gt(first, 30000);
    ck_assert_int_eq(
        number_of(file, "SELECT min(step) FROM metrics WHERE metrics LIKE '{\"report\":%'"), 99);
    ck_assert_int_eq(
        number_of(file, "SELECT count(*) FROM metrics WHERE metrics LIKE '%what is tried%'"), 1);
    ck_assert_int_eq(
        number_of(file, "SELECT count(*) FROM metrics WHERE metrics LIKE '%exit_status%'"), 1);
    ck_assert_int_ge(
        number_of(file, "SELECT count(*) FROM metrics WHERE metrics LIKE '%\"loss\"%'"),
        40000 - first - 1);
}
END_TEST

SUITE(sqlite_rotation)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_oldest_rows_are_deleted_and_the_file_stops_growing);
    tcase_add_test(tc, results_and_texts_stay);
    tcase_add_test(tc, many_texts_take_a_quarter_and_then_make_room_like_numbers);
    tcase_add_test(tc, the_age_of_a_row_counts_and_not_its_step);
    tcase_add_test(tc, what_a_deleted_row_is_the_mean_of_is_deleted_with_it);
    tcase_add_test(tc, the_rows_of_other_runs_stay);
    tcase_add_test(tc, a_locked_database_has_the_same_rows_later);
    tcase_add_test(tc, a_project_of_trackio_has_the_newest_rows_the_texts_and_the_report);
}
