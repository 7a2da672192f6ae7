/* SPDX-License-Identifier: MIT */
/* The sink sqlite, read back by SQLite as another program does. */
#include "sinks/sqlite/database.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/replay.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
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

/* ---- layout stepwatch ------------------------------------------------------------------------ */

START_TEST(the_views_have_the_run_its_values_its_steps_and_its_report)
{
    host_name("digits");
    struct host *host = host_open("sqlite", "path: own.db\n");
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

/* SQLite's integers and the clock have 64 bits of nanoseconds. */
START_TEST(after_2262_it_is_2262)
{
    struct host *host = host_open("sqlite", "path: own.db\n");
    sw_set_start(host_profiler(host), 9223372037.0);
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(rows_of("own.db", "SELECT started, seconds>=0 FROM runs"),
                     "2262-04-11 23:47:16|1\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT min(seconds)>=0 FROM steps"), "1\n");
}
END_TEST

START_TEST(values_that_are_no_numbers_and_names_that_are_no_text_are_kept)
{
    struct host *host = host_open("sqlite", "path: own.db\n");
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

START_TEST(names_that_look_alike_are_two_metrics)
{
    struct host *host = host_open("sqlite", "path: own.db\n");
    for (int step = 0; step < 4; step += 2) {
        host_metric(host, step, "\xff", 1);
        host_metric(host, step + 1, "\\xff", 2);
    }
    host_close(host);
    ck_assert_str_eq(
        rows_of("own.db", "SELECT metric, value, count(*) FROM metrics GROUP BY metric"),
        "\\xff|1.0|2\n\\xff_2|2.0|2\n");
}
END_TEST

/* Opens the sink with a file that stays the same in all runs of a test. */
static struct host *open_again(const char *file)
{
    char options[600];
    snprintf(options, sizeof options, "path: %s\n", file);
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
    struct host *host = host_open("sqlite", "path: own.db\n");
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

/* More than is kept in memory. */
START_TEST(a_long_lock_loses_nothing)
{
    enum { ROUNDS = 40, NAMES = 2000 };
    struct host *host = host_open("sqlite", "path: own.db\n");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    sqlite3 *other = database_lock("own.db");
    for (int round = 0; round < ROUNDS; round++) {
        host_metrics(host, NAMES, round);
        host_metric(host, round, "loss", round);
        ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(20)), 0);
    }
    ck_assert(host_has("own.db-waiting"));
    sqlite3_close(other);
    host_close(host);
    ck_assert_str_eq(rows_of("own.db", "SELECT count(*) FROM metrics WHERE metric GLOB 'm[0-9]*'"),
                     "80000\n");
    ck_assert(!host_has("own.db-waiting"));
}
END_TEST

/* As on a disk that is full, or where the folder cannot be made. */
START_TEST(rows_that_cannot_be_kept_on_the_disk_take_a_bounded_memory_and_are_counted)
{
    enum { ROUNDS = 40, NAMES = 2000 };
    struct sw_error err = {0};
    struct host *host = host_open("sqlite", "path: own.db\n");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    ck_assert_int_eq(mkfifo("own.db-waiting", 0600), 0);
    sqlite3 *other = database_lock("own.db");
    for (int round = 0; round < ROUNDS; round++) {
        host_metrics(host, NAMES, round);
        host_metric(host, round, "loss", round);
        ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(20)), 0);
    }
    sqlite3_close(other);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "lost") != NULL, "%s", sw_error_text(&err));
    sw_error_free(&err);
    int count = atoi(rows_of("own.db", "SELECT count(*) FROM metrics WHERE metric GLOB 'm[0-9]*'"));
    ck_assert_int_gt(count, 20000);
    ck_assert_int_lt(count, 60000);
}
END_TEST

START_TEST(rows_that_wait_on_the_disk_have_a_limit)
{
    enum { ROUNDS = 40, NAMES = 2000 };
    struct sw_error err = {0};
    struct host *host = host_open("sqlite", "path: own.db\nmax_waiting: 2MB\n");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    sqlite3 *other = database_lock("own.db");
    for (int round = 0; round < ROUNDS; round++) {
        host_metrics(host, NAMES, round);
        host_metric(host, round, "loss", round);
        ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(20)), 0);
    }
    ck_assert_int_eq(system("test $(cat own.db-waiting/*.rows | wc -c) -le 2000000"), 0);
    sqlite3_close(other);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "lost") != NULL, "%s", sw_error_text(&err));
    sw_error_free(&err);
    int count = atoi(rows_of("own.db", "SELECT count(*) FROM metrics WHERE metric GLOB 'm[0-9]*'"));
    ck_assert_int_gt(count, 20000);
    ck_assert_int_lt(count, 80000);
}
END_TEST

/* Leaves 1,000 values of a run on the disk, because its database is locked until it has ended. */
static void leave_rows(const char *file)
{
    struct sw_error err = {0};
    char options[600];
    snprintf(options, sizeof options, "path: %s\n", file);
    host_close(open_again(file));
    sqlite3 *other = database_lock(file);
    struct host *host = host_open_with("sqlite", options, "close_timeout: 2s\n");
    for (int step = 0; step < 1000; step++)
        host_metric(host, step, "loss", step);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "of them are kept in ") &&
                      strstr(sw_error_text(&err), "`stepwatch sync "),
                  "%s", sw_error_text(&err));
    sw_error_free(&err);
    sqlite3_close(other);
}

START_TEST(the_next_run_adds_the_rows_that_wait)
{
    const char *file = fixed_file();
    leave_rows(file);
    host_close(open_again(file));
    ck_assert_str_eq(rows_of(file, COUNT_OF_LOSS), "1000\n");
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM runs WHERE state='finished'"), "3\n");
    ck_assert_int_eq(scratch_count("folder"), 1); /* the database */
}
END_TEST

START_TEST(so_does_the_command)
{
    char command[1200];
    if (access(BUILDDIR "/tests/tools/stepwatch", X_OK) != 0) {
        puts("SKIP: the command is not built: jansson is missing");
        return;
    }
    const char *file = fixed_file();
    leave_rows(file);
    setenv("STEPWATCH_PLUGIN_PATH", BUILDDIR "/sinks/.libs", 1);
    snprintf(command, sizeof command, "%s/tests/tools/stepwatch sync %s 2>said.txt", BUILDDIR,
             file);
    ck_assert_int_eq(system(command), 0);
    ck_assert_ptr_nonnull(strstr(host_file("said.txt"), "added the rows of 1 run\n"));
    ck_assert_str_eq(rows_of(file, COUNT_OF_LOSS), "1000\n");
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM runs"), "2\n");
}
END_TEST

/* A database that was made anew has nothing of the run, and a kill may cut the last row. */
START_TEST(rows_that_wait_are_complete_and_a_torn_one_is_left_out)
{
    char waiting[600], rows[700];
    const char *file = fixed_file();
    struct stat st;
    leave_rows(file);
    snprintf(waiting, sizeof waiting, "%s-waiting", file);
    snprintf(rows, sizeof rows, "cd %s && mv *.rows torn.rows", waiting);
    ck_assert_int_eq(system(rows), 0);
    snprintf(rows, sizeof rows, "%s/torn.rows", waiting);
    ck_assert_int_eq(stat(rows, &st), 0);
    ck_assert_int_eq(truncate(rows, st.st_size - 3), 0);
    ck_assert_int_eq(remove(file), 0);
    host_close(open_again(file));
    ck_assert_str_eq(rows_of(file, COUNT_OF_LOSS), "1000\n");
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM runs"), "2\n");
    ck_assert_int_ne(access(rows, F_OK), 0);
}
END_TEST

/* Writers that take no turns starve each other. */
START_TEST(no_writer_of_many_loses_a_row)
{
    enum { WRITERS = 24, STEPS = 400 };
    scratch_enter();
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0) {
            struct sw_error err = {0};
            struct sw_profiler *sw =
                sw_open_text("profiler: {show_report: false, close_timeout: 20s}\n"
                             "logger_callback: {sqlite: {path: many.db}}\n",
                             &err);
            for (int step = 0; sw && step < STEPS; step++) {
                sw_begin(sw, SW_BATCH);
                sw_log(sw, "loss", step);
                sw_end_batch(sw, 1);
            }
            _exit(!sw || sw_close(sw, &err) < 0);
        }
    for (int i = 0, status; i < WRITERS; i++) {
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_str_eq(rows_of("many.db", COUNT_OF_LOSS), "9600\n");
    ck_assert_str_eq(rows_of("many.db", "SELECT count(*) FROM runs WHERE state='finished'"),
                     "24\n");
}
END_TEST

START_TEST(the_longer_a_writer_waits_the_more_often_it_tries)
{
    struct swi_turns turns = {.random = 7};
    int64_t sum[3] = {0}, now = SECONDS(1);
    for (int second = 0; second < 3; second++)
        for (int i = 0; i < 1000; i++) {
            swi_turns_note(&turns, true, now + SECONDS(second));
            int64_t pause = turns.next_ns - (now + SECONDS(second));
            ck_assert(pause >= 0 && pause < SWI_TURN_MOST_NS / (second + 1));
            sum[second] += pause;
        }
    ck_assert_int_lt(sum[1], sum[0] * 2 / 3);
    ck_assert_int_lt(sum[2], sum[1]);
    swi_turns_note(&turns, false, now);
    ck_assert_int_eq(turns.since_ns, 0);
}
END_TEST

START_TEST(rows_that_never_get_in_are_counted_and_told)
{
    struct sw_error err = {0};
    struct host *host = host_open_with("sqlite", "path: own.db\n", "close_timeout: 300ms\n");
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

START_TEST(a_file_that_cannot_be_opened_is_said_with_the_reason)
{
    struct sw_error err = {0};
    struct host *host = host_open("sqlite", "path: /usr\n");
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "/usr: cannot be opened as a database: unable to "
                                              "open database file: Is a directory"),
                  "%s", sw_error_text(&err));
    sw_error_free(&err);
}
END_TEST

/* The name of releases before 1.1. */
START_TEST(database_is_another_name_of_path)
{
    struct sw_error err = {0};
    struct host *host = host_open("sqlite", "database: own.db\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_str_eq(rows_of("own.db", COUNT_OF_LOSS), "1\n");
    ck_assert_ptr_null(
        sw_open_text("logger_callback: {sqlite: {path: a.db, database: b.db}}\n", &err));
    ck_assert_str_eq(sw_error_text(&err), "configuration:1:50: sink sqlite: database: is another "
                                          "name of path, which is given, too: keep path only");
    sw_error_free(&err);
}
END_TEST

/* ---- the file system ------------------------------------------------------------------------- */

START_TEST(links_of_the_user_on_the_way_are_followed)
{
    static const char *const paths[] = {"link/sub/own.db", "own.db"};
    char options[1200], real[1024];
    scratch_enter();
    ck_assert_int_eq(mkdir("real", 0755), 0);
    ck_assert_int_eq(symlink("real", "link"), 0);
    ck_assert_int_eq(mkdir("real/sub", 0755), 0);
    snprintf(real, sizeof real, "%s", scratch_path("real/sub/own.db"));
    ck_assert_int_eq(symlink(real, "own.db"), 0);
    if (_i == 1)
        scratch_write("real/sub/own.db", "", 0);
    snprintf(options, sizeof options, "path: %s\n", scratch_path(paths[_i]));
    struct host *host = host_open("sqlite", options);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_str_eq(rows_of(real, COUNT_OF_LOSS), "1\n");
}
END_TEST

static int lock_errno;

static int no_locks(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *arg = va_arg(args, void *);
    va_end(args);
    if (command != F_SETLK && command != F_SETLKW && command != F_GETLK)
        return fcntl(fd, command, arg);
    errno = lock_errno;
    return -1;
}

/* The system's reason, at once: an error of locks is neither "locked by another program" nor only
 * "disk I/O error". */
START_TEST(a_file_system_without_locks_is_said_with_the_reason)
{
    static const struct {
        int reason;
        const char *said, *not_said;
    } cases[] = {{ENOLCK, "its file system has no locks", "another program"},
                 {ENOSYS, "put the database on a local disk", "disk I/O error"},
                 {EACCES, "its file system has no locks", "another program"}};
    struct sw_error err = {0};
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    struct host *host;
    lock_errno = cases[_i].reason;
    ck_assert_int_eq(vfs->xSetSystemCall(vfs, "fcntl", (sqlite3_syscall_ptr)no_locks), 0);
    host = host_open_with("sqlite", "path: own.db\n", "close_timeout: 600s\n");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    vfs->xSetSystemCall(vfs, "fcntl", NULL);
    ck_assert_msg(strstr(sw_error_text(&err), cases[_i].said) != NULL &&
                      !strstr(sw_error_text(&err), cases[_i].not_said),
                  "%s", sw_error_text(&err));
    sw_error_free(&err);
}
END_TEST

static void *no_shared_memory(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
    (void)at, (void)size, (void)access, (void)flags, (void)fd, (void)offset;
    errno = ENODEV;
    return MAP_FAILED;
}

/* As on 9p: the switch to a write-ahead log succeeds there, and the next read fails. */
START_TEST(a_file_system_without_shared_memory_gets_all_rows)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    scratch_enter();
    ck_assert_int_eq(vfs->xSetSystemCall(vfs, "mmap", (sqlite3_syscall_ptr)no_shared_memory), 0);
    struct host *host = host_open("sqlite", "path: own.db\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    vfs->xSetSystemCall(vfs, "mmap", NULL);
    ck_assert_str_eq(rows_of("own.db", COUNT_OF_LOSS), "1\n");
}
END_TEST

static long mounted_type; /* 0: as it is */

/* In place of that of the C library, for the sink as well. */
__attribute__((visibility("default"))) int fstatfs(int fd, struct statfs *mounted)
{
    int rc = (int)syscall(SYS_fstatfs, fd, mounted);
    if (rc == 0 && mounted_type)
        mounted->f_type = mounted_type;
    return rc;
}

/* There, SQLite's write-ahead log would work for the programs of one machine, and be damaged by
 * those of another. A database that has one already, as from another program, loses it. */
START_TEST(a_file_system_of_several_machines_gets_no_write_ahead_log)
{
    static const long types[] = {0x6969, 0x0bd00bd0, 0x65735546, (int)0xff534d42};
    sqlite3 *db = NULL;
    scratch_enter();
    if (_i % 2) {
        ck_assert_int_eq(sqlite3_open("own.db", &db), SQLITE_OK);
        ck_assert_int_eq(sqlite3_exec(db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
    }
    mounted_type = types[_i / 2];
    struct host *host = host_open("sqlite", "path: own.db\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    mounted_type = 0;
    ck_assert_str_eq(rows_of("own.db", "PRAGMA journal_mode"), "delete\n");
    ck_assert_str_eq(rows_of("own.db", COUNT_OF_LOSS), "1\n");
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
                                          "logger_callback: {sqlite: {path: killed.db}}\n",
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

/* The clock of the writer is behind that of the reader, as in a cluster without time service. */
START_TEST(a_living_run_is_running_whatever_the_readers_clock_says)
{
    struct host *host = host_open("sqlite", "database: own.db\n");
    host_fit(host, 1);
    sw_flush(host_profiler(host), SECONDS(10));
    rows_of("own.db", "UPDATE run SET alive_ns=alive_ns-150000000000, host='far'");
    ck_assert_str_eq(rows_of("own.db", "SELECT state FROM runs"), "running\n");
    host_close(host);
}
END_TEST

START_TEST(a_run_alone_that_writes_nothing_is_silent_and_after_a_day_killed)
{
    struct host *host = host_open("sqlite", "database: own.db\n");
    host_fit(host, 1);
    host_close(host);
    rows_of("own.db", "UPDATE run SET ended_ns=NULL, alive_ns=alive_ns-400000000000");
    ck_assert_str_eq(rows_of("own.db", "SELECT state FROM runs"), "silent\n");
    rows_of("own.db", "UPDATE run SET alive_ns=alive_ns-86400000000000");
    ck_assert_str_eq(rows_of("own.db", "SELECT state FROM runs"), "killed\n");
}
END_TEST

START_TEST(a_run_that_is_silent_while_its_host_writes_was_killed)
{
    struct host *host = host_open("sqlite", "database: own.db\n");
    host_fit(host, 1);
    host_close(host);
    rows_of("own.db", "INSERT INTO run SELECT id+1, 'other', name, program, host, pid, rank, "
                      "stepwatch, mode, started_ns, NULL, NULL, NULL, NULL, alive_ns-61000000000 "
                      "FROM run");
    ck_assert_str_eq(rows_of("own.db", "SELECT state FROM runs ORDER BY uid='other'"),
                     "finished\nkilled\n");
}
END_TEST

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

/* ---- values that are more than a number ------------------------------------------------------ */

static void images_log(struct sw_profiler *sw)
{
    static const uint8_t pixel[2][4] = {{0, 64, 128, 255}, {1, 2, 3, 4}};
    struct sw_image image[2];
    memset(image, 0, sizeof image);
    for (int i = 0; i < 2; i++) {
        image[i].size = sizeof image[i];
        image[i].data = pixel[i];
        image[i].layout = SW_HWC;
        image[i].type = SW_U8;
        image[i].width = image[i].height = 2;
        image[i].channels = 1;
    }
    image[1].caption = "it's \"two\"";
    sw_log_images(sw, "many", image, 2);
    sw_log_image(sw, "one", SW_U8, pixel, 2, 2, 1, NULL);
}

/* One value of each kind, at step 0. */
static void values_log(struct sw_profiler *sw)
{
    static const int32_t id[] = {7, 8};
    static const char *const label[] = {"cat", NULL};
    static const bool truth[] = {true, false};
    const struct sw_table_column columns[] = {
        {"id", SW_I32, id}, {"label", SW_TEXT, label}, {"right?", SW_BOOL, truth}};
    const struct sw_bin bins[] = {{0, 0.5, 3}, {0.5, 2, 4}};
    sw_log_text(sw, "note", "**bold**\nsecond \xff line");
    sw_log_table(sw, "table", columns, 3, 2);
    sw_log_bins(sw, "weights", bins, 2);
    images_log(sw);
    sw_alert(sw, SW_ERROR, "diverged", "the loss is large");
    sw_summary(sw, "best", 0.25);
    sw_summary_text(sw, "verdict", "good");
}

/* A file of the program, of 5 bytes. */
static void file_log(struct sw_profiler *sw)
{
    const struct sw_file model = {.size = sizeof model,
                                  .name = "model",
                                  .type = "model",
                                  .aliases = (const char *[]){"best", NULL}};
    FILE *file = fopen("model.bin", "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fputs("12345", file) >= 0 && fclose(file) == 0, 1);
    ck_assert_int_eq(sw_log_file(sw, "model.bin", &model), 0);
}

START_TEST(values_of_each_kind_have_a_view)
{
    struct host *host = host_open("sqlite", "path: own.db\n");
    values_log(host_profiler(host));
    host_close(host);
    ck_assert_str_eq(rows_of("own.db", "SELECT name, step, text FROM texts"),
                     "note|0|**bold**\nsecond \\xff line\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT bin, low, high, count FROM histograms"),
                     "0|0.0|0.5|3\n1|0.5|2.0|4\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT name, columns, rows, file FROM tables"),
                     "table|3|2|-\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT \"column\", row, value FROM cells ORDER BY 2, 1"),
                     "id|0|7\nlabel|0|cat\nright?|0|1\nid|1|8\nlabel|1|-\nright?|1|0\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT name, number, format, width, height, caption "
                                       "FROM pictures ORDER BY 1, 2"),
                     "many|0|png|2|2|-\nmany|1|png|2|2|it's \"two\"\none|0|png|2|2|-\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT level, title, text, step FROM alerts"),
                     "error|diverged|the loss is large|0\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT name, value, typeof(value) FROM summaries"),
                     "best|0.25|real\nverdict|good|text\n");
}
END_TEST

static void assert_files(const char *folder, const char *sql, const char *file, const char *begin)
{
    char names[2048], path[2400];
    int count = 0;
    snprintf(names, sizeof names, "%s", rows_of(file, sql));
    for (char *rest, *name = strtok_r(names, "\n", &rest); name;
         name = strtok_r(NULL, "\n", &rest)) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        const char *content = host_file(path);
        ck_assert_msg(strncmp(content, begin, strlen(begin)) == 0, "%s", path);
        count++;
    }
    ck_assert_int_gt(count, 0);
}

START_TEST(images_and_files_are_beside_the_database)
{
    struct host *host = host_open("sqlite", "path: own.db\n");
    values_log(host_profiler(host));
    file_log(host_profiler(host));
    host_close(host);
    assert_files("own.db.files", "SELECT file FROM pictures", "own.db", "\x89PNG\r\n");
    assert_files("own.db.files", "SELECT file FROM files", "own.db", "12345");
    ck_assert_str_eq(rows_of("own.db", "SELECT name, path, bytes, type, aliases FROM files"),
                     "model|model.bin|5|model|[\"best\"]\n");
}
END_TEST

START_TEST(a_large_table_is_a_file)
{
    static int64_t number[10000];
    static const char *text[10000];
    char wide[201];
    memset(wide, 'w', 200);
    wide[200] = '\0';
    for (int i = 0; i < 10000; i++) {
        number[i] = i;
        text[i] = wide;
    }
    const struct sw_table_column columns[] = {{"n", SW_I64, number}, {"t", SW_TEXT, text}};
    struct host *host = host_open("sqlite", "path: own.db\n");
    sw_log_table(host_profiler(host), "small", columns, 1, 10000);
    sw_log_table(host_profiler(host), "large", columns, 2, 10000);
    host_close(host);
    ck_assert_str_eq(
        rows_of("own.db", "SELECT name, rows, file NOT NULL FROM tables ORDER BY step, 1"),
        "large|-|1\nsmall|10000|0\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT count(*), sum(value) FROM cells WHERE name='small'"),
                     "10000|49995000\n");
    assert_files("own.db.files", "SELECT file FROM tables WHERE file NOT NULL", "own.db",
                 "{\"columns\":[\"n\",\"t\"],\"data\":[[0,\"www");
}
END_TEST

/* ---- rows of several steps ------------------------------------------------------------------- */

static struct host *thinned_run(const char *options)
{
    struct host *host = host_open("sqlite", options);
    for (int i = 0; i < 20; i++) {
        sw_begin(host_profiler(host), SW_DRAW);
        host_wait(host, 1000000 * (i + 1));
        sw_end(host_profiler(host), SW_DRAW);
        sw_begin(host_profiler(host), SW_BATCH);
        sw_log(host_profiler(host), "loss", i);
        host_wait(host, 5000000);
        sw_end_batch(host_profiler(host), 8);
    }
    return host;
}

START_TEST(a_row_of_several_steps_has_their_number_and_limits)
{
    host_close(thinned_run("path: own.db\nevery: 10\n"));
    ck_assert_str_eq(rows_of("own.db", "SELECT step, value, count, min, max FROM metrics "
                                       "WHERE metric='loss' ORDER BY step"),
                     "9|4.5|10|0.0|9.0\n19|14.5|10|10.0|19.0\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT value, count, min, max FROM latest "
                                       "WHERE metric='loss'"),
                     "14.5|10|10.0|19.0\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT step, steps, samples, draw_s, batch_s FROM steps"),
                     "0|1|8|0.001|0.005\n9|9|8|0.006|0.005\n19|10|8|0.0155|0.005\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT sum(steps), sum(samples_sum), sum(draw_sum_s), "
                                       "sum(batch_sum_s) FROM steps"),
                     "20|160|0.21|0.1\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT draw_min_ns, draw_max_ns FROM thinned_step"),
                     "2000000|10000000\n11000000|20000000\n");
}
END_TEST

START_TEST(rows_of_several_steps_have_limits_as_values_in_trackio)
{
    setenv("TRACKIO_DIR", "trackio", 1);
    host_close(thinned_run("layout: trackio\nproject: p\nevery: 10\n"));
    ck_assert_str_eq(rows_of("trackio/p.db",
                             "SELECT step, json_extract(metrics, '$.loss'), "
                             "json_extract(metrics, '$.\"loss/min\"'), "
                             "json_extract(metrics, '$.\"loss/max\"'), "
                             "json_extract(metrics, '$.\"loss/count\"') FROM metrics "
                             "WHERE json_extract(metrics, '$.loss') NOT NULL ORDER BY step"),
                     "9|4.5|0.0|9.0|10.0\n19|14.5|10.0|19.0|10.0\n");
}
END_TEST

START_TEST(a_full_run_gets_no_more_rows)
{
    struct stat status;
    struct host *host = host_open("sqlite", "path: own.db\nmax_size: 100kB\nwhen_full: stop\n");
    for (int i = 0; i < 5000; i++)
        host_metric(host, i, "loss", i);
    host_close(host);
    int rows = atoi(rows_of("own.db", "SELECT count(*) FROM metrics WHERE metric='loss'"));
    ck_assert_int_gt(rows, 100);
    ck_assert_int_lt(rows, 2000);
    ck_assert_int_eq(stat("own.db", &status), 0);
    ck_assert_int_lt(status.st_size, 100000 + 250000); /* the empty tables take 200 kB */
    ck_assert_ptr_nonnull(strstr(host_messages(host), "max_size is reached at step "));
}
END_TEST

START_TEST(a_database_that_is_there_is_no_mistake)
{
    SW_ERROR_SCOPE(err);
    char *text = NULL;
    host_close(host_open("sqlite", "path: own.db\n"));
    FILE *file = fopen("again.yaml", "w");
    fputs("logger_callback: { sqlite: { path: own.db } }\n", file);
    fclose(file);
    ck_assert_msg(sw_config_check("again.yaml", &text, &err) == 0, "%s%s", text ? text : "",
                  sw_error_text(&err));
}
END_TEST

/* ---- queries --------------------------------------------------------------------------------- */

/* Views are only usable with millions of rows if the primary key finds those of a run. */
START_TEST(views_find_the_rows_of_a_run_by_the_primary_key)
{
    static const struct {
        const char *query;
        int searches; /* by run, and by as much of the rest of the key as the query has; in columns
                         of rows of several steps, too */
    } cases[] = {
        {"SELECT * FROM latest", 5},
        {"SELECT * FROM latest WHERE metric='loss' ORDER BY value", 5},
        {"SELECT * FROM latest WHERE run='digits' AND metric='loss'", 5},
        {"SELECT step, value FROM metrics WHERE uid='a' AND metric='loss' ORDER BY step", 1},
        {"SELECT step, value FROM metrics WHERE run='digits' AND metric='loss' ORDER BY step", 1},
        {"SELECT step, value FROM metrics WHERE metric='loss'", 1},
        {"SELECT step, value FROM metrics WHERE metric LIKE 'train/%'", 1},
        {"SELECT uid, max(step) FROM metrics WHERE metric IN ('a', 'b') GROUP BY uid", 1},
        {"SELECT * FROM steps WHERE run='digits'", 5},
        {"SELECT * FROM reports WHERE action='step'", 1},
        {"SELECT * FROM texts WHERE run='digits'", 1},
        {"SELECT * FROM tables WHERE name='t'", 1},
        {"SELECT * FROM cells WHERE name='t'", 1},
        {"SELECT * FROM histograms WHERE name='w'", 1},
        {"SELECT * FROM pictures WHERE name='p'", 1},
        {"SELECT * FROM files WHERE name='f'", 1},
        {"SELECT * FROM alerts WHERE level='error'", 1},
        {"SELECT * FROM summaries WHERE name='best'", 1},
    };
    char plan[512];
    host_close(host_open("sqlite", "path: own.db\n"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(plan, sizeof plan, "EXPLAIN QUERY PLAN %s", cases[i].query);
        const char *text = rows_of("own.db", plan);
        int searches = 0;
        for (const char *at = text; (at = strstr(at, " USING PRIMARY KEY (run=?")); at++)
            searches++;
        ck_assert_msg(searches == cases[i].searches, "%s:\n%s", cases[i].query, text);
        for (const char *at = text; (at = strstr(at, "|SCAN ")); at++)
            ck_assert_msg(strncmp(at, "|SCAN run", 9) == 0 || strncmp(at, "|SCAN n ", 8) == 0 ||
                              strstr(at, "VIRTUAL TABLE"),
                          "%s:\n%s", cases[i].query, text);
    }
}
END_TEST

START_TEST(latest_has_the_last_value_of_the_last_step)
{
    struct host *host = host_open("sqlite", "path: own.db\n");
    host_metric(host, 0, "loss", 3);
    host_metric(host, 7, "loss", 2);
    host_metric(host, 7, "loss", 1);
    host_metric(host, 5, "loss", 9);
    host_metric(host, 1, "nan", NAN);
    host_close(host);
    ck_assert_str_eq(rows_of("own.db", "SELECT metric, step, value, is_nan FROM latest WHERE "
                                       "metric IN ('loss', 'nan') ORDER BY 1"),
                     "loss|7|1.0|0\nnan|1|-|1\n");
}
END_TEST

/* As a release made it whose views read all rows. */
START_TEST(views_of_an_older_release_are_replaced)
{
    const char *file = fixed_file();
    sqlite3 *db = NULL;
    host_close(open_again(file));
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(
        sqlite3_exec(db,
                     "DROP VIEW latest; CREATE VIEW latest AS SELECT run, uid, metric, max(step) "
                     "AS step, value, is_nan FROM metrics GROUP BY uid, metric; "
                     "CREATE VIEW mine AS SELECT value FROM latest",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    struct host *host = open_again(file);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(rows_of(file, "SELECT sql FROM sqlite_schema WHERE name='latest'"),
                                 "CROSS JOIN metric"));
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM mine"), "1\n");
}
END_TEST

/* As the release before made it: without the tables and views of values. */
START_TEST(a_database_of_an_older_release_gets_what_it_lacks)
{
    const char *file = fixed_file();
    sqlite3 *db = NULL;
    host_close(open_again(file));
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db,
                                  "DROP VIEW texts; DROP VIEW histograms; DROP VIEW tables;"
                                  "DROP VIEW cells; DROP VIEW pictures; DROP VIEW files;"
                                  "DROP VIEW alerts; DROP VIEW summaries; DROP TABLE value;"
                                  "DROP TABLE alert; DROP TABLE summary;",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    struct host *host = open_again(file);
    values_log(host_profiler(host));
    host_close(host);
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM run"), "2\n");
    ck_assert_str_eq(rows_of(file, "SELECT value FROM summaries WHERE name='best'"), "0.25\n");
}
END_TEST

/* ---- a database that goes away --------------------------------------------------------------- */

START_TEST(a_deleted_database_is_made_anew)
{
    struct host *host = host_open("sqlite", "path: own.db\n");
    sw_hparam_int(host_profiler(host), "epochs", 3);
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    ck_assert_int_eq(remove("own.db"), 0);
    host_metric(host, 1, "loss", 2);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    host_metric(host, 2, "other", 3);
    host_close(host);
    ck_assert_msg(strstr(host_messages(host), "own.db: was deleted during the run") != NULL, "%s",
                  host_messages(host));
    ck_assert_str_eq(rows_of("own.db", "SELECT metric, step, value FROM metrics ORDER BY step"),
                     "loss|1|2.0\nother|2|3.0\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT state FROM runs"), "finished\n");
    ck_assert_str_eq(rows_of("own.db", "SELECT name, value FROM config"), "epochs|3\n");
}
END_TEST

/* Another program has made a new database of this name by then: its rows stay. */
START_TEST(a_database_that_was_replaced_is_shared)
{
    const char *file = fixed_file();
    struct host *host = open_again(file);
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(5)), 0);
    ck_assert_int_eq(remove(file), 0);
    sqlite3 *other = NULL;
    ck_assert_int_eq(sqlite3_open(file, &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other,
                                  "PRAGMA journal_mode=WAL; PRAGMA application_id=0x73777463;"
                                  "CREATE TABLE mine(x); INSERT INTO mine VALUES(5);",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    host_metric(host, 1, "loss", 2);
    host_close(host);
    sqlite3_close(other);
    ck_assert_str_eq(rows_of(file, "SELECT x FROM mine"), "5\n");
    ck_assert_str_eq(rows_of(file, "SELECT step, value FROM metrics"), "1|2.0\n");
    ck_assert_str_eq(rows_of(file, "PRAGMA integrity_check"), "ok\n");
}
END_TEST

/* ---- layout trackio -------------------------------------------------------------------------- */

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

START_TEST(trackio_has_the_last_value_of_a_parameter_that_is_given_twice)
{
    const char *file = trackio_file("p.db");
    struct host *host = trackio_open("p");
    sw_hparam_float(host_profiler(host), "lr", 0.1);
    sw_hparam_string(host_profiler(host), "opt", "adam");
    host_metric(host, 0, "loss", 1);
    sw_hparam_int(host_profiler(host), "lr", 3);
    sw_hparam_int(host_profiler(host), "_lr", 4);
    host_close(host);
    ck_assert_str_eq(rows_of(file, "SELECT substr(config, 1, 23) FROM configs"),
                     "{\"lr\":4,\"opt\":\"adam\",\"_\n");
}
END_TEST

/* As the hub's client finds its folder. DIR is the scratch folder. */
START_TEST(trackio_finds_its_folder_like_its_client)
{
    static const struct {
        const char *variable, *value, *file;
    } cases[] = {
        {"HF_HOME", "~/hub", "home/hub/trackio/p.db"},
        {"HF_HOME", "$SW_TEST_DIR/hub", "hub/trackio/p.db"},
        {"HF_HOME", "${SW_TEST_DIR}/hub", "hub/trackio/p.db"},
        {"XDG_CACHE_HOME", "~/cache", "home/cache/huggingface/trackio/p.db"},
        {"XDG_CACHE_HOME", "$SW_TEST_DIR/$SW_TEST_NONE", "$SW_TEST_NONE/huggingface/trackio/p.db"},
        {"XDG_CACHE_HOME", "", "home/.cache/huggingface/trackio/p.db"},
    };
    trackio_file("");
    unsetenv("HF_HOME");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", scratch_path("home"), 1);
    setenv("SW_TEST_DIR", scratch_path("."), 1);
    setenv(cases[_i].variable, cases[_i].value, 1);
    const char *file = scratch_path(cases[_i].file);
    struct host *host = trackio_open("p");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM configs"), "1\n");
    ck_assert_int_ne(access("~", F_OK), 0);
}
END_TEST

START_TEST(a_folder_that_trackio_would_not_find_is_refused)
{
    struct sw_error err = {0};
    trackio_file("");
    setenv("TRACKIO_DIR", "~/trackio", 1);
    struct host *host = trackio_open("p");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "TRACKIO_DIR begins with ~") != NULL, "%s",
                  sw_error_text(&err));
    sw_error_free(&err);
}
END_TEST

/* With many names, whose hashes meet. On a busy machine, a flush may end the row of the step: then
 * another one has what is logged after it, and no row has a name twice. */
START_TEST(trackio_has_the_last_value_of_a_name_that_is_logged_twice_in_a_step)
{
    const char *file = trackio_file("p.db");
    struct host *host = trackio_open("p");
    sw_set_step(host_profiler(host), 0);
    for (int round = 0; round < 2; round++)
        host_metrics(host, 2000, round);
    host_metric(host, 0, "m7", 0.5);
    host_close(host);
    ck_assert_str_eq(rows_of(file,
                             "SELECT count(*), sum(value) FROM (SELECT value, max(metrics.id) "
                             "FROM metrics, json_each(metrics) WHERE key GLOB 'm[0-9]*' "
                             "GROUP BY key)"),
                     "2000|2000992.5\n");
    ck_assert_str_eq(rows_of(file, "SELECT count(*) - count(DISTINCT metrics.id || key) "
                                   "FROM metrics, json_each(metrics)"),
                     "0\n");
}
END_TEST

/* tests/loggers reads the values with trackio itself. */
START_TEST(trackio_has_values_of_each_kind)
{
    const char *file = trackio_file("p.db");
    char media[600];
    struct host *host = trackio_open("p");
    values_log(host_profiler(host));
    file_log(host_profiler(host));
    host_close(host);
#define OF_STEP " FROM metrics WHERE metrics LIKE '%note%'"
    ck_assert_str_eq(
        rows_of(file, "SELECT json_extract(metrics, '$.note')" OF_STEP),
        "{\"_type\":\"trackio.markdown\",\"_value\":\"**bold**\\u000asecond \\\\xff line\"}\n");
    ck_assert_str_eq(
        rows_of(file, "SELECT json_extract(metrics, '$.table')" OF_STEP),
        "{\"_type\":\"trackio.table\",\"_value\":[{\"id\":7,\"label\":\"cat\",\"right?\":"
        "true},{\"id\":8,\"label\":null,\"right?\":false}]}\n");
    ck_assert_str_eq(rows_of(file, "SELECT json_extract(metrics, '$.weights')" OF_STEP),
                     "{\"_type\":\"trackio.histogram\",\"bins\":[0.0,0.5,2.0],\"values\":[3,4]}\n");
    ck_assert_str_eq(rows_of(file, "SELECT json_extract(metrics, '$.one._type'), "
                                   "json_extract(metrics, '$.one.caption'), "
                                   "json_extract(metrics, '$.many._value[1].image._type'), "
                                   "json_extract(metrics, '$.many._value[1].caption')" OF_STEP),
                     "trackio.image|-|trackio.image|it's \"two\"\n");
    ck_assert_str_eq(rows_of(file, "SELECT json_extract(metrics, '$.best')" OF_STEP), "0.25\n");
    ck_assert_str_eq(rows_of(file, "SELECT run_name, title, text, level, step FROM alerts"),
                     "digits|diverged|the loss is large|error|0\n");
    snprintf(media, sizeof media, "%s", scratch_path("hub/trackio/media"));
    assert_files(media, "SELECT json_extract(metrics, '$.one.file_path')" OF_STEP, file, "\x89PNG");
    ck_assert_str_eq(
        rows_of(file, "SELECT substr(json_extract(metrics, '$.one.file_path'), 1, 11)" OF_STEP),
        "p/digits/0/\n");
#undef OF_STEP
}
END_TEST

/* Else the run would be in another file than the one that was given, and nobody would say so. */
START_TEST(a_path_is_refused_in_the_layout_of_trackio)
{
    static const char *const keys[] = {"path", "database"};
    char yaml[128];
    SW_ERROR_SCOPE(err);
    setenv("STEPWATCH_PLUGIN_PATH", BUILDDIR "/sinks/.libs", 1);
    snprintf(yaml, sizeof yaml, "logger_callback: [sqlite: {layout: trackio, %s: a.db}]", keys[_i]);
    ck_assert_ptr_null(sw_open_text(yaml, &err));
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "the layout trackio has its own place"));
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

/* Trackio keeps what isalnum() of Python accepts. */
START_TEST(a_project_can_have_letters_of_any_script)
{
    static const struct {
        const char *project, *file;
    } cases[] = {{"数字 v1.2", "数字v12.db"},
                 {"Größe/😀", "Größe.db"},
                 {"цифры-٣_a", "цифры-٣_a.db"},
                 {"😀", "default.db"}};
    const char *file = trackio_file(cases[_i].file);
    struct host *host = trackio_open(cases[_i].project);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_str_eq(rows_of(file, "SELECT count(*) FROM configs"), "1\n");
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

/* ---- monitors -------------------------------------------------------------------------------- */

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
    monitored("path: m.db");
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
    tcase_add_test(tc, values_of_each_kind_have_a_view);
    tcase_add_test(tc, images_and_files_are_beside_the_database);
    tcase_add_test(tc, a_large_table_is_a_file);
    tcase_add_test(tc, a_database_of_an_older_release_gets_what_it_lacks);
    tcase_add_test(tc, a_deleted_database_is_made_anew);
    tcase_add_test(tc, a_database_that_was_replaced_is_shared);
    tcase_add_test(tc, trackio_has_values_of_each_kind);
    tcase_add_test(tc, trackio_has_the_last_value_of_a_name_that_is_logged_twice_in_a_step);
    tcase_add_test(tc, the_views_have_the_run_its_values_its_steps_and_its_report);
    tcase_add_test(tc, after_2262_it_is_2262);
    tcase_add_test(tc, values_that_are_no_numbers_and_names_that_are_no_text_are_kept);
    tcase_add_test(tc, names_that_look_alike_are_two_metrics);
    tcase_add_test(tc, runs_share_a_file);
    tcase_add_test(tc, database_is_another_name_of_path);
    tcase_add_loop_test(tc, links_of_the_user_on_the_way_are_followed, 0, 2);
    tcase_add_test(tc, a_file_system_without_shared_memory_gets_all_rows);
    tcase_add_loop_test(tc, a_file_system_of_several_machines_gets_no_write_ahead_log, 0, 8);
    tcase_add_loop_test(tc, a_file_system_without_locks_is_said_with_the_reason, 0, 3);
    tcase_add_test(tc, a_row_of_several_steps_has_their_number_and_limits);
    tcase_add_test(tc, rows_of_several_steps_have_limits_as_values_in_trackio);
    tcase_add_test(tc, a_full_run_gets_no_more_rows);
    tcase_add_test(tc, a_database_that_is_there_is_no_mistake);
    tcase_add_test(tc, views_find_the_rows_of_a_run_by_the_primary_key);
    tcase_add_test(tc, latest_has_the_last_value_of_the_last_step);
    tcase_add_test(tc, views_of_an_older_release_are_replaced);
    tcase_add_loop_test(tc, trackio_finds_its_folder_like_its_client, 0, 6);
    tcase_add_test(tc, a_folder_that_trackio_would_not_find_is_refused);
    tcase_add_test(tc, rows_wait_for_a_locked_database);
    tcase_add_test(tc, rows_that_never_get_in_are_counted_and_told);
    tcase_add_test(tc, a_long_lock_loses_nothing);
    tcase_add_test(tc, rows_that_cannot_be_kept_on_the_disk_take_a_bounded_memory_and_are_counted);
    tcase_add_test(tc, rows_that_wait_on_the_disk_have_a_limit);
    tcase_add_test(tc, the_next_run_adds_the_rows_that_wait);
    tcase_add_test(tc, so_does_the_command);
    tcase_add_test(tc, rows_that_wait_are_complete_and_a_torn_one_is_left_out);
    tcase_add_test(tc, no_writer_of_many_loses_a_row);
    tcase_add_test(tc, the_longer_a_writer_waits_the_more_often_it_tries);
    tcase_add_test(tc, a_file_that_cannot_be_opened_is_said_with_the_reason);
    tcase_add_loop_test(tc, a_database_of_another_program_is_refused, 0, 2);
    tcase_add_test(tc, a_killed_run_leaves_a_whole_file_with_what_was_written);
    tcase_add_test(tc, a_living_run_is_running_whatever_the_readers_clock_says);
    tcase_add_test(tc, a_run_that_is_silent_while_its_host_writes_was_killed);
    tcase_add_test(tc, a_run_alone_that_writes_nothing_is_silent_and_after_a_day_killed);
    tcase_add_test(tc, trackio_has_the_last_value_of_a_parameter_that_is_given_twice);
    tcase_add_test(tc, trackio_has_a_row_of_each_step_the_configuration_and_the_report);
    tcase_add_loop_test(tc, a_path_is_refused_in_the_layout_of_trackio, 0, 2);
    tcase_add_test(tc, a_database_of_an_older_trackio_is_left_alone);
    tcase_add_test(tc, a_project_with_a_name_that_trackio_uses_is_refused);
    tcase_add_loop_test(tc, a_project_can_have_letters_of_any_script, 0, 4);
}
