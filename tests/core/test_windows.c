/* SPDX-License-Identifier: MIT */
/* Regions are recorded in windows: by a schedule, on demand, or the whole run. */
#include "tests/support/golden.h"
#include "tests/support/probe.h"
#include "tests/support/recorder.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- the golden schedules -------------------------------------------------------------------- */

static int64_t field(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static struct sw_schedule schedule_of(const json_t *from)
{
    return (struct sw_schedule){.size = sizeof(struct sw_schedule),
                                .given = true,
                                .skip_first = field(from, "skip_first"),
                                .wait = field(from, "wait"),
                                .warmup = field(from, "warmup"),
                                .active = field(from, "active"),
                                .repeat = field(from, "repeat"),
                                .skip_first_wait = field(from, "skip_first_wait") != 0};
}

static void actions_compare(const json_t *each)
{
    struct sw_schedule schedule = schedule_of(each);
    const char *actions = json_string_value(json_object_get(each, "actions"));
    for (int64_t step = 0; actions[step]; step++)
        ck_assert_msg("NWRS"[sw_schedule_action(&schedule, step)] == actions[step],
                      "skip_first %d, wait %d, warmup %d, active %d, repeat %d: step %d of %s",
                      (int)schedule.skip_first, (int)schedule.wait, (int)schedule.warmup,
                      (int)schedule.active, (int)schedule.repeat, (int)step, actions);
}

START_TEST(every_step_of_the_golden_schedules_is_what_they_say)
{
    static const char *const keys[] = {"actions", "actions_skip_first_wait"};
    json_t *golden = golden_json("schedule/schedule.json");
    size_t i, sets = 0;
    json_t *each;
    for (int k = 0; k < 2; k++)
        json_array_foreach(json_object_get(golden, keys[k]), i, each)
        {
            actions_compare(each);
            sets++;
        }
    ck_assert_uint_ge(sets, 213);
    json_decref(golden);
}
END_TEST

START_TEST(what_is_not_a_schedule_records_no_step)
{
    struct sw_schedule none = {.size = sizeof none};
    struct sw_schedule empty = {.size = sizeof empty, .given = true};
    struct sw_schedule always = {.size = sizeof always, .given = true, .active = 1};
    ck_assert_int_eq(sw_schedule_action(&none, 0), SW_SCHEDULE_NONE);
    ck_assert_int_eq(sw_schedule_action(&empty, 0), SW_SCHEDULE_NONE);
    ck_assert_int_eq(sw_schedule_action(&always, -1), SW_SCHEDULE_NONE);
    ck_assert_int_eq(sw_schedule_action(&always, INT64_C(1) << 52), SW_SCHEDULE_RECORD_AND_SAVE);
    struct sw_schedule outside = always;
    outside.wait = -1; /* its cycle would have no step */
    ck_assert_int_eq(sw_schedule_action(&outside, 5), SW_SCHEDULE_NONE);
    outside.wait = outside.warmup = INT64_MAX;
    ck_assert_int_eq(sw_schedule_action(&outside, 5), SW_SCHEDULE_NONE);
}
END_TEST

/* ---- the function that is called ------------------------------------------------------------- */

static char calls[1024];

static void window_note(void *arg, const struct sw_window *window)
{
    size_t used = strlen(calls);
    snprintf(calls + used, sizeof calls - used, "%d:%d-%d ", (int)sw_get_step(arg),
             (int)window->first_step, (int)window->next_step);
}

static void schedule_yaml(char *yaml, size_t room, const struct sw_schedule *s)
{
    snprintf(yaml, room,
             "schedule: {skip_first: %d, wait: %d, warmup: %d, active: %d, repeat: %d, "
             "skip_first_wait: %d}",
             (int)s->skip_first, (int)s->wait, (int)s->warmup, (int)s->active, (int)s->repeat,
             (int)s->skip_first_wait);
}

/* Where the profiler of torch lists the steps in a trace, the last one may not have ended. */
static void expected_calls(char *text, size_t room, const json_t *golden)
{
    size_t i;
    json_t *call;
    *text = '\0';
    json_array_foreach(golden, i, call)
    {
        const json_t *steps = json_object_get(call, "steps_in_trace");
        size_t used = strlen(text);
        snprintf(text + used, room - used, "%d:%d-%d ", (int)field(call, "step_num"),
                 (int)json_integer_value(json_array_get(steps, 0)), (int)field(call, "step_num"));
    }
}

static void calls_compare(const json_t *each)
{
    struct sw_schedule schedule = schedule_of(json_object_get(each, "schedule"));
    struct sw_error err;
    char yaml[256], expected[1024];
    schedule_yaml(yaml, sizeof yaml, &schedule);
    struct sw_profiler *sw = probe_open(yaml);
    *calls = '\0';
    sw_on_window(sw, window_note, sw);
    for (int64_t i = 0; i < field(each, "step_calls"); i++)
        probe_step(sw, 1);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    expected_calls(expected, sizeof expected, json_object_get(each, "on_trace_ready"));
    ck_assert_msg(strcmp(calls, expected) == 0, "%s: found %s, expected %s", yaml, calls, expected);
}

START_TEST(the_function_is_called_when_that_of_torch_is)
{
    json_t *golden = golden_json("schedule/schedule.json");
    size_t i;
    json_t *each;
    json_array_foreach(json_object_get(golden, "on_trace_ready"), i, each) calls_compare(each);
    ck_assert_uint_ge(i, 8);
    json_decref(golden);
}
END_TEST

/* ---- what is recorded ------------------------------------------------------------------------ */

/* A step with one region in it, 10 ns each. */
static void step(struct sw_profiler *sw)
{
    sw_begin(sw, SW_DRAW);
    probe_wait(10);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    probe_wait(10);
    sw_end(sw, SW_FORWARD);
    sw_end_batch(sw, 1);
}

static void fit_begin(struct sw_profiler *sw)
{
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
}

static void fit_end(struct sw_profiler *sw)
{
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
}

START_TEST(without_a_schedule_the_window_is_the_whole_run)
{
    struct sw_profiler *sw = recorder_open("");
    step(sw);
    assert_recorded(sw, "window 0 run begins 0 first 0\n"
                        "begin draw 0\nend draw 10\nbegin batch 10\nbegin forward 10\n"
                        "end forward 20\nend batch 20\nend fit 20\nwindow 0 ends 20 next 1\n");
}
END_TEST

START_TEST(what_is_open_at_the_begin_of_a_window_begins_with_it)
{
    struct sw_profiler *sw = recorder_open("schedule: {wait: 1, active: 1, repeat: 1}");
    fit_begin(sw);
    for (int i = 0; i < 4; i++)
        step(sw);
    fit_end(sw);
    assert_recorded(sw, "window 0 schedule begins 20 first 1\n"
                        "begin fit 20\nbegin train 20\n"
                        "begin draw 20\nend draw 30\nbegin batch 30\nbegin forward 30\n"
                        "end forward 40\nend batch 40\nwindow 0 ends 40 next 2\n");
}
END_TEST

START_TEST(a_window_that_the_end_of_the_run_cuts_says_so)
{
    struct sw_profiler *sw = recorder_open("schedule: {active: 3, skip_first: 1}");
    fit_begin(sw);
    step(sw);
    step(sw);
    fit_end(sw);
    assert_recorded(sw, "window 0 schedule begins 20 first 1\n"
                        "begin fit 20\nbegin train 20\n"
                        "begin draw 20\nend draw 30\nbegin batch 30\nbegin forward 30\n"
                        "end forward 40\nend batch 40\nend train 40\nend fit 40\n"
                        "window 0 ends 40 next 2 cut\n");
}
END_TEST

/* Two windows without a step between them: what is open is in both. */
START_TEST(windows_may_follow_each_other)
{
    struct sw_profiler *sw = recorder_open("schedule: {active: 1, repeat: 2}");
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 3; i++)
        step(sw);
    sw_end(sw, SW_TRAIN);
    assert_recorded(sw, "window 0 schedule begins 0 first 0\n"
                        "begin train 0\n"
                        "begin draw 0\nend draw 10\nbegin batch 10\nbegin forward 10\n"
                        "end forward 20\nend batch 20\nwindow 0 ends 20 next 1\n"
                        "window 1 schedule begins 20 first 1\n"
                        "begin fit 20\nbegin train 20\n"
                        "begin draw 20\nend draw 30\nbegin batch 30\nbegin forward 30\n"
                        "end forward 40\nend batch 40\nwindow 1 ends 40 next 2\n");
}
END_TEST

/* The step that a resumed run begins with is the schedule's step 0. */
START_TEST(a_schedule_counts_from_the_start_of_the_run)
{
    struct sw_profiler *sw = recorder_open("schedule: {wait: 1, active: 1, repeat: 1}");
    sw_set_step(sw, 1000);
    sw_begin(sw, SW_TRAIN);
    step(sw);
    sw_begin(sw, SW_VALID);
    step(sw);
    sw_end(sw, SW_VALID);
    step(sw);
    struct sw_error err;
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_ptr_nonnull(strstr(recorder_text(), "window 0 schedule begins 20 first 1001\n"));
    ck_assert_ptr_nonnull(strstr(recorder_text(), "window 0 ends 60 next 1002\n"));
}
END_TEST

START_TEST(a_schedule_that_recorded_nothing_says_so)
{
    struct sw_profiler *sw =
        recorder_open("schedule: {skip_first: 10, wait: 5, warmup: 1, active: 3, repeat: 2}");
    for (int i = 0; i < 8; i++)
        step(sw);
    assert_recorded(sw, "");
    ck_assert_str_eq(probe_message,
                     "schedule: no step was recorded: its first window begins with training step "
                     "16 (counted from 0), and the run had 8 training steps; \"stepwatch "
                     "schedule\" shows which steps a schedule records");
}
END_TEST

/* ---- other threads --------------------------------------------------------------------------- */

static pthread_barrier_t turn;

struct other {
    struct sw_profiler *sw;
    int steps;
};

/* A region whose name says in which step it was. */
static void region_of(struct sw_profiler *sw, int number)
{
    char name[32];
    snprintf(name, sizeof name, "in-%03d", number);
    int action = sw_action(name);
    sw_begin(sw, action);
    sw_end(sw, action);
}

static void *other_thread(void *arg)
{
    const struct other *other = arg;
    for (int i = 0; i < other->steps; i++) {
        pthread_barrier_wait(&turn);
        region_of(other->sw, i);
        pthread_barrier_wait(&turn);
    }
    return NULL;
}

static void steps_of_two(struct sw_profiler *sw, int steps)
{
    struct other other = {sw, steps};
    pthread_t thread;
    pthread_barrier_init(&turn, NULL, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, &other), 0);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < steps; i++) {
        sw_begin(sw, SW_BATCH);
        pthread_barrier_wait(&turn);
        region_of(sw, i);
        pthread_barrier_wait(&turn);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_TRAIN);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&turn);
}

static bool has_region(int thread, int number)
{
    char line[64];
    snprintf(line, sizeof line, "\n%s%s in-%03d ", thread ? "1 " : "", "begin", number);
    bool begun = strstr(recorder_text(), line);
    snprintf(line, sizeof line, "\n%s%s in-%03d ", thread ? "1 " : "", "end", number);
    ck_assert_int_eq(begun, strstr(recorder_text(), line) != NULL);
    return begun;
}

static const struct sw_schedule foretold[] = {
    {.given = true, .skip_first = 2, .wait = 1, .warmup = 1, .active = 2, .repeat = 0},
    {.given = true, .skip_first = 0, .wait = 0, .warmup = 0, .active = 1, .repeat = 0},
    {.given = true, .skip_first = 1, .wait = 3, .active = 4, .repeat = 2, .skip_first_wait = true},
    {.given = true, .skip_first = 0, .wait = 2, .warmup = 0, .active = 3, .repeat = 1},
    {.given = true, .skip_first = 50, .wait = 2, .warmup = 0, .active = 3, .repeat = 1},
};

START_TEST(all_threads_record_the_steps_that_the_schedule_foretells)
{
    enum { STEPS = 40 };
    struct sw_error err;
    char yaml[256];
    schedule_yaml(yaml, sizeof yaml, &foretold[_i]);
    struct sw_profiler *sw = recorder_open(yaml);
    steps_of_two(sw, STEPS);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    for (int i = 0; i < STEPS; i++) {
        bool expected = sw_schedule_action(&foretold[_i], i) >= SW_SCHEDULE_RECORD;
        ck_assert_msg(has_region(0, i) == expected, "%s: step %d of the loop", yaml, i);
        ck_assert_msg(has_region(1, i) == expected, "%s: step %d, other thread", yaml, i);
    }
}
END_TEST

/* ---- on demand ------------------------------------------------------------------------------- */

START_TEST(a_capture_between_steps_records_the_next_ones)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    step(sw);
    ck_assert_int_eq(sw_capture(sw, 1), 0);
    step(sw);
    step(sw);
    assert_recorded(sw, "window 0 capture begins 20 first 1\n"
                        "begin fit 20\n"
                        "begin draw 20\nend draw 30\nbegin batch 30\nbegin forward 30\n"
                        "end forward 40\nend batch 40\nwindow 0 ends 40 next 2\n");
}
END_TEST

START_TEST(a_capture_within_a_step_records_those_after_it)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    sw_begin(sw, SW_BATCH);
    ck_assert_int_eq(sw_capture(sw, 1), 0);
    sw_end_batch(sw, 1);
    step(sw);
    step(sw);
    assert_recorded(sw, "window 0 capture begins 0 first 1\n"
                        "begin fit 0\n"
                        "begin draw 0\nend draw 10\nbegin batch 10\nbegin forward 10\n"
                        "end forward 20\nend batch 20\nwindow 0 ends 20 next 2\n");
}
END_TEST

START_TEST(a_capture_before_the_loop_records_its_first_steps)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    ck_assert_int_eq(sw_capture(sw, 1), 0);
    step(sw);
    step(sw);
    assert_recorded(sw, "window 0 capture begins 0 first 0\n"
                        "begin draw 0\nend draw 10\nbegin batch 10\nbegin forward 10\n"
                        "end forward 20\nend batch 20\nwindow 0 ends 20 next 1\n");
}
END_TEST

static void *capture_thread(void *arg)
{
    sw_capture(arg, 2);
    return NULL;
}

START_TEST(any_thread_may_ask_for_a_capture)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    struct sw_error err;
    pthread_t thread;
    step(sw);
    ck_assert_int_eq(pthread_create(&thread, NULL, capture_thread, sw), 0);
    pthread_join(thread, NULL);
    for (int i = 0; i < 5; i++)
        step(sw);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_ptr_nonnull(strstr(recorder_text(), "window 0 capture begins 40 first 2\n"));
    ck_assert_ptr_nonnull(strstr(recorder_text(), "window 0 ends 80 next 4\n"));
}
END_TEST

START_TEST(a_capture_goes_on_after_a_window_of_the_schedule)
{
    struct sw_profiler *sw = recorder_open("schedule: {wait: 1, active: 1, repeat: 1}");
    struct sw_error err;
    step(sw);
    ck_assert_int_eq(sw_capture(sw, 2), 0);
    for (int i = 0; i < 4; i++)
        step(sw);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    const char *text = recorder_text();
    ck_assert_ptr_nonnull(text = strstr(text, "window 0 schedule begins 20 first 1\n"));
    ck_assert_ptr_nonnull(text = strstr(text, "window 0 ends 40 next 2\n"));
    ck_assert_ptr_nonnull(text = strstr(text, "window 1 capture begins 40 first 2\n"));
    ck_assert_ptr_nonnull(strstr(text, "window 1 ends 60 next 3\n"));
}
END_TEST

START_TEST(a_capture_of_no_step_is_refused)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    ck_assert_int_eq(sw_capture(sw, 0), SW_EINVAL);
    ck_assert_int_eq(sw_capture(sw, -3), SW_EINVAL);
    ck_assert_int_eq(sw_capture(NULL, 1), 0);
    step(sw);
    assert_recorded(sw, "");
}
END_TEST

START_TEST(in_a_window_of_the_whole_run_a_capture_changes_nothing)
{
    struct sw_profiler *sw = recorder_open("");
    ck_assert_int_eq(sw_capture(sw, 1), 0);
    step(sw);
    assert_recorded(sw, "window 0 run begins 0 first 0\n"
                        "begin draw 0\nend draw 10\nbegin batch 10\nbegin forward 10\n"
                        "end forward 20\nend batch 20\nend fit 20\nwindow 0 ends 20 next 1\n");
}
END_TEST

SUITE(windows)
{
    tcase_add_test(tc, every_step_of_the_golden_schedules_is_what_they_say);
    tcase_add_test(tc, what_is_not_a_schedule_records_no_step);
    tcase_add_test(tc, the_function_is_called_when_that_of_torch_is);
    tcase_add_test(tc, without_a_schedule_the_window_is_the_whole_run);
    tcase_add_test(tc, what_is_open_at_the_begin_of_a_window_begins_with_it);
    tcase_add_test(tc, a_window_that_the_end_of_the_run_cuts_says_so);
    tcase_add_test(tc, windows_may_follow_each_other);
    tcase_add_test(tc, a_schedule_counts_from_the_start_of_the_run);
    tcase_add_test(tc, a_schedule_that_recorded_nothing_says_so);
    tcase_add_loop_test(tc, all_threads_record_the_steps_that_the_schedule_foretells, 0,
                        sizeof foretold / sizeof *foretold);
    tcase_add_test(tc, a_capture_between_steps_records_the_next_ones);
    tcase_add_test(tc, a_capture_within_a_step_records_those_after_it);
    tcase_add_test(tc, a_capture_before_the_loop_records_its_first_steps);
    tcase_add_test(tc, any_thread_may_ask_for_a_capture);
    tcase_add_test(tc, a_capture_goes_on_after_a_window_of_the_schedule);
    tcase_add_test(tc, a_capture_of_no_step_is_refused);
    tcase_add_test(tc, in_a_window_of_the_whole_run_a_capture_changes_nothing);
}
