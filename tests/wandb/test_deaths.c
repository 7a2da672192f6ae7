/* SPDX-License-Identifier: MIT */
/* test_deaths.c - a program that dies while it uploads its run: what it says before it dies is what
 * the service knows, and an upload of its file adds what is missing, and nothing twice.
 *
 * STEPWATCH_TRIALS=50 tests/check wandb_deaths: so many random deaths instead of a few. */
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/wandb.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char yaml[] =
    "profiler: {mode: throughput, show_report: false, close_timeout: 60s}\n"
    "logger_callback:\n"
    "  - wandb: {mode: online, run_id: abc, system: false, interval: 100ms}\n";

static void pause_us(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

/* Trains for ever; its environment says where the service is. */
static void program(void)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!sw) {
        sw_error_print(stdout, &err);
        fflush(stdout);
        _exit(99);
    }
    sw_set_messages(sw, NULL, NULL);
    sw_begin(sw, SW_FIT);
    for (int i = 0;; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", i);
        sw_end_batch(sw, 1);
        pause_us(1000);
    }
}

static pid_t program_start(void)
{
    scratch_enter();
    ck_assert_int_eq(system("rm -rf wandb"), 0);
    pid_t child = fork();
    if (child == 0)
        program();
    return child;
}

static int program_end(pid_t child, int number)
{
    int status = -1;
    kill(child, number);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

static const json_t *lines_of(json_t *state)
{
    return json_object_get(json_object_get(service_run(state), "lines"), "wandb-history.jsonl");
}

static bool some_rows(json_t *state, void *arg)
{
    return json_array_size(lines_of(state)) >= (size_t) * (int *)arg;
}

/* The rows at the service are those of the file: each once, in order. Returns how many. */
static int rows_check(json_t *state)
{
    bool ended;
    size_t i;
    int losses = 0;
    const json_t *line;
    json_array_foreach(lines_of(state), i, line)
    {
        json_t *row = json_loads(json_string_value(line), 0, NULL);
        const json_t *loss = json_object_get(row, "loss");
        if (loss)
            ck_assert_int_eq((int)json_number_value(loss), losses++);
        json_decref(row);
    }
    ck_assert_int_eq(losses, online_rows_in_file(&ended));
    ck_assert_uint_eq(json_array_size(json_object_get(service_run(state), "rewritten")), 0);
    return losses;
}

static json_int_t exit_code_of(json_t *state)
{
    return json_integer_value(json_object_get(service_run(state), "exitcode"));
}

SERVICE_TEST(a_program_that_is_interrupted_still_finishes_its_run, "")
{
    static const int numbers[] = {SIGINT, SIGTERM};
    pid_t child = program_start();
    service_wait_until(service, some_rows, &(int){20});
    ck_assert_int_eq(program_end(child, numbers[_i]), numbers[_i]);
    json_auto_t *state = service_state(service);
    ck_assert_int_ge(rows_check(state), 20);
    ck_assert_int_eq(exit_code_of(state), 128 + numbers[_i]);
}

static int trials(void)
{
    const char *text = getenv("STEPWATCH_TRIALS");
    return text ? atoi(text) : 2;
}

/* At any time: before its first row arrived, and after some. */
SERVICE_TEST(what_a_killed_program_did_not_send_is_added_and_nothing_comes_twice, "")
{
    struct sw_error err;
    unsigned seed = (unsigned)time(NULL) + (unsigned)_i;
    int rows = 1 + _i % 2 * 30;
    pid_t child = program_start();
    service_wait_until(service, some_rows, &rows);
    pause_us(rand_r(&seed) % 200000);
    ck_assert_int_eq(program_end(child, SIGKILL), SIGKILL);

    struct sw_wandb_result result = {.size = sizeof result};
    ck_assert_msg(sw_wandb_sync("wandb/latest-run", NULL, &result, &err) == 0, "%s",
                  sw_error_text(&err));
    ck_assert_int_eq(result.state, SW_WANDB_TORN);
    json_auto_t *state = service_state(service);
    ck_assert_int_ge(rows_check(state), rows);
    ck_assert_int_eq(exit_code_of(state), 1);
}

SUITE(wandb_deaths)
{
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, a_program_that_is_interrupted_still_finishes_its_run, 0, 2);
    tcase_add_loop_test(tc, what_a_killed_program_did_not_send_is_added_and_nothing_comes_twice, 0,
                        trials());
}
