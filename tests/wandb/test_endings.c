/* SPDX-License-Identifier: MIT */
/* test_endings.c - however a program ends, its .wandb file is readable: every row that was flushed
 * is in it once and in order, and it says how the program ended if that could still be said.
 *
 * STEPWATCH_TRIALS=50 tests/check wandb_endings: so many random deaths instead of a few, and the
 * most that one of them has lost. */
#include "sinks/wandb/file/reader.h"
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include <glob.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the program reports to the test, however it ends. */
static struct shared {
    atomic_int logged;  /* steps that are over */
    atomic_int flushed; /* of these, those that sw_flush() has waited for */
} * shared;

/* What is in the file. */
struct found {
    int rows;
    bool torn;
    bool ended; /* by an exit record */
    int code;
};

static void pause_us(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char yaml[] = "profiler: {mode: throughput, show_report: false, close_timeout: 60s}\n"
                           "logger_callback:\n"
                           "  - wandb: {mode: offline, run_id: abc, system: false}\n";

static void steps(struct sw_profiler *sw, int count, long pace_us)
{
    for (int i = 0; i < count; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", atomic_load(&shared->logged));
        sw_end_batch(sw, 1);
        atomic_fetch_add(&shared->logged, 1);
        if (pace_us)
            pause_us(pace_us);
    }
}

static void flush(struct sw_profiler *sw)
{
    int logged = atomic_load(&shared->logged);
    if (sw_flush(sw, INT64_C(60000000000)) == 0)
        atomic_store(&shared->flushed, logged);
}

static struct sw_profiler *program_open(void)
{
    struct sw_error err;
    /* The sink says where its file is. */
    if (!freopen("/dev/null", "w", stderr))
        _exit(97);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!sw)
        _exit(99);
    sw_begin(sw, SW_FIT);
    return sw;
}

/* Runs a program in a process of its own, in an empty folder. */
static pid_t program_start(void (*program)(struct sw_profiler *sw))
{
    scratch_enter();
    ck_assert_int_eq(system("rm -rf wandb"), 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    pid_t child = fork();
    if (child == 0) {
        program(program_open());
        _exit(98);
    }
    return child;
}

static int program_end(pid_t child)
{
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

/* ---- its file -------------------------------------------------------------------------------- */

/* The loss of a step's row; NULL in a row of the report's tables. */
static const char *loss_of(const struct swi_history_message *row)
{
    for (size_t i = 0; i < row->n_item; i++) {
        const struct swi_item_message *item = row->item[i];
        if (strcmp(swi_wandb_item_name(item), "loss") == 0)
            return item->value_json;
    }
    return NULL;
}

static void row_check(const struct swi_history_message *row, struct found *found)
{
    const char *loss = loss_of(row);
    if (loss)
        ck_assert_int_eq(atoi(loss), found->rows++);
}

static void record_check(const struct swi_record_message *record, struct found *found)
{
    ck_assert(!found->ended);
    if (record->what == SWI_RECORD_HISTORY)
        row_check(record->history, found);
    if (record->what == SWI_RECORD_EXIT) {
        found->ended = true;
        found->code = record->exit->exit_code;
    }
}

/* Nothing but its end may be unreadable. */
static struct found file_read(void)
{
    struct found found = {0};
    struct sw_error err;
    const struct swi_record_message *record;
    glob_t files;
    static struct swi_wandb_reader reader;
    int rc = glob("wandb/offline-run-*/run-abc.wandb", 0, NULL, &files);
    if (rc == 0) {
        ck_assert_uint_eq(files.gl_pathc, 1);
        ck_assert_int_eq(swi_wandb_reader_open(&reader, files.gl_pathv[0], &err), 0);
        while ((rc = swi_wandb_reader_next(&reader, &record, &err)) == 1)
            record_check(record, &found);
        ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
        found.torn = reader.offset < reader.size;
        swi_wandb_reader_close(&reader);
    }
    globfree(&files);
    return found;
}

static void wait_for(const atomic_int *counter, int count)
{
    for (int i = 0; i < 60000 && atomic_load(counter) < count; i++)
        pause_us(1000);
    ck_assert_int_ge(atomic_load(counter), count);
}

/* ---- endings that still say how it ended ----------------------------------------------------- */

static void by_close(struct sw_profiler *sw)
{
    steps(sw, 100, 0);
    sw_end(sw, SW_FIT);
    sw_set_exit_status(sw, 5);
    _exit(sw_close(sw, NULL) == 0 ? 5 : 96);
}

static void by_exit(struct sw_profiler *sw)
{
    steps(sw, 100, 0);
    exit(3);
}

static void by_signal(struct sw_profiler *sw, int number)
{
    steps(sw, 100, 0);
    raise(number);
    pause_us(60000000);
}

static void by_int(struct sw_profiler *sw)
{
    by_signal(sw, SIGINT);
}

static void by_term(struct sw_profiler *sw)
{
    by_signal(sw, SIGTERM);
}

static void by_hup(struct sw_profiler *sw)
{
    by_signal(sw, SIGHUP);
}

/* Children that log, exit and leave at once belong to nobody's run. */
static void by_fork(struct sw_profiler *sw)
{
    steps(sw, 50, 0);
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            sw_log(sw, "loss", 1e6);
            sw_end_batch(sw, 1);
            i % 2 ? child_exit(9) : _exit(9);
        }
        waitpid(child, NULL, 0);
        steps(sw, 10, 0);
    }
    steps(sw, 10, 0);
    sw_end(sw, SW_FIT);
    _exit(sw_close(sw, NULL) == 0 ? 0 : 96);
}

static const struct {
    const char *name;
    void (*program)(struct sw_profiler *sw);
    int code;   /* in the file */
    int status; /* of the process; negative: a signal */
} orderly[] = {
    {"close", by_close, 5, 5},        {"exit", by_exit, 3, 3},
    {"SIGINT", by_int, 130, -SIGINT}, {"SIGTERM", by_term, 143, -SIGTERM},
    {"SIGHUP", by_hup, 129, -SIGHUP}, {"fork", by_fork, 0, 0},
};

START_TEST(an_orderly_end_keeps_every_row_and_says_how_it_ended)
{
    int status = program_end(program_start(orderly[_i].program));
    ck_assert_int_eq(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                     orderly[_i].status);
    struct found found = file_read();
    ck_assert_int_eq(found.rows, 100);
    ck_assert(found.ended && !found.torn);
    ck_assert_int_eq(found.code, orderly[_i].code);
}
END_TEST

/* ---- endings that nobody can prepare for ----------------------------------------------------- */

static void by_abort(struct sw_profiler *sw)
{
    steps(sw, 70, 0);
    flush(sw);
    steps(sw, 30, 0);
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void by_quick_exit(struct sw_profiler *sw)
{
    steps(sw, 70, 0);
    flush(sw);
    steps(sw, 30, 0);
    _exit(3);
}

START_TEST(a_sudden_end_loses_nothing_that_was_flushed)
{
    program_end(program_start(_i ? by_abort : by_quick_exit));
    struct found found = file_read();
    ck_assert_int_eq(atomic_load(&shared->flushed), 70);
    ck_assert_int_ge(found.rows, 70);
    ck_assert(!found.ended);
}
END_TEST

static void endless(struct sw_profiler *sw)
{
    for (;;)
        steps(sw, 1, 200);
}

START_TEST(rows_reach_the_file_while_the_program_runs)
{
    struct found found = {0};
    pid_t child = program_start(endless);
    for (int i = 0; i < 600 && found.rows == 0; i++) {
        pause_us(100000);
        found = file_read();
    }
    kill(child, SIGKILL);
    program_end(child);
    ck_assert_int_gt(found.rows, 0);
    ck_assert_int_ge(file_read().rows, found.rows);
}
END_TEST

static int trials(void)
{
    const char *text = getenv("STEPWATCH_TRIALS");
    return text ? atoi(text) : 5;
}

/* By SIGKILL, at any time. */
START_TEST(a_killed_program_leaves_a_file_that_can_be_read)
{
    unsigned seed = (unsigned)time(NULL);
    int most = 0;
    for (int i = 0; i < trials(); i++) {
        pid_t child = program_start(endless);
        wait_for(&shared->logged, i % 5 ? 1 : 0);
        pause_us(rand_r(&seed) % (trials() > 5 ? 4000000 : 300000));
        kill(child, SIGKILL);
        program_end(child);
        struct found found = file_read();
        int logged = atomic_load(&shared->logged);
        ck_assert_int_le(found.rows, logged);
        ck_assert(!found.ended);
        most = logged - found.rows > most ? logged - found.rows : most;
    }
    if (trials() > 5)
        printf("%d programs killed: at most %d rows lost, one each 0.2 ms or more\n", trials(),
               most);
}
END_TEST

SUITE(wandb_endings)
{
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, an_orderly_end_keeps_every_row_and_says_how_it_ended, 0,
                        sizeof orderly / sizeof *orderly);
    tcase_add_loop_test(tc, a_sudden_end_loses_nothing_that_was_flushed, 0, 2);
    tcase_add_test(tc, rows_reach_the_file_while_the_program_runs);
    tcase_add_test(tc, a_killed_program_leaves_a_file_that_can_be_read);
}
