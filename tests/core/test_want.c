/* SPDX-License-Identifier: MIT */
/* A sink wants kinds of records, no longer wants them, and wants them again, while threads measure.
 */
#include "tests/support/suite.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

/* ---- a sink that obeys a hyper-parameter ----------------------------------------------------- */

static struct sw_sink *sink_open;
static atomic_int begins, ends, steps, metrics;

static int fickle_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)state;
    (void)err;
    sink_open = sink;
    sw_sink_want(sink, SW_WANT(SW_RECORD_HPARAM));
    return 0;
}

static void regions_count(const struct sw_record *record)
{
    for (size_t i = 0; i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        if (strcmp(region->action, "own") != 0)
            continue;
        begins += region->event == SW_REGION_BEGIN;
        ends += region->event == SW_REGION_END;
    }
}

static int fickle_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)err;
    if (record->type == SW_RECORD_HPARAM)
        sw_sink_want(sink_open, (uint32_t)record->hparam->integer);
    else if (record->type == SW_RECORD_REGIONS)
        regions_count(record);
    else if (record->type == SW_RECORD_STEP)
        steps++;
    else if (record->type == SW_RECORD_METRICS)
        metrics++;
    return 0;
}

static const struct sw_sink_plugin fickle = {
    SW_SINK_HEADER,
    .name = "fickle",
    .version = "1.0",
    .license = "MIT",
    .summary = "wants what it is told to",
    .wants = SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_REGIONS) | SW_WANT(SW_RECORD_STEP) |
             SW_WANT(SW_RECORD_METRICS),
    .open = fickle_open,
    .record = fickle_record,
};

/* ---- a program with two threads -------------------------------------------------------------- */

static struct sw_profiler *sw;
static pthread_barrier_t turn;
static atomic_bool over;

static void work(void)
{
    int own = sw_action("own");
    for (int i = 0; i < 10; i++) {
        sw_begin(sw, own);
        sw_end(sw, own);
    }
}

static void *other_thread(void *arg)
{
    pthread_barrier_wait(&turn);
    while (!over) {
        work();
        pthread_barrier_wait(&turn);
        pthread_barrier_wait(&turn);
    }
    return arg;
}

/* A step of the loop, and as many regions on the other thread; then all of it is with the sink. */
static void both_work(void)
{
    begins = ends = steps = metrics = 0;
    pthread_barrier_wait(&turn);
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "loss", 1);
    work();
    sw_end_batch(sw, 1);
    pthread_barrier_wait(&turn);
    ck_assert_int_eq(sw_flush(sw, 60 * SECOND), 0);
}

static void want(uint32_t wants)
{
    sw_hparam_int(sw, "wants", (int64_t)(wants | SW_WANT(SW_RECORD_HPARAM)));
    ck_assert_int_eq(sw_flush(sw, 60 * SECOND), 0);
}

static const struct {
    uint32_t wants;
    int regions, steps, metrics;
} turns[] = {
    {0, 0, 0, 0},
    {SW_WANT(SW_RECORD_REGIONS), 20, 0, 0},
    {SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS), 0, 1, 1},
    {SW_WANT(SW_RECORD_REGIONS) | SW_WANT(SW_RECORD_STEP), 20, 1, 0},
    {0, 0, 0, 0},
    {SW_WANT(SW_RECORD_REGIONS), 20, 0, 0},
    {SW_WANT(SW_RECORD_REGIONS), 20, 0, 0},
    {SW_WANT(SW_RECORD_METRICS), 0, 0, 1},
};
enum { TURNS = sizeof turns / sizeof *turns };

static void turns_take(void)
{
    for (int i = 0; i < TURNS; i++) {
        want(turns[i].wants);
        both_work();
        ck_assert_msg(begins == turns[i].regions && ends == begins && steps == turns[i].steps &&
                          metrics == turns[i].metrics,
                      "turn %d: %d begins, %d ends, %d steps, %d metrics", i, (int)begins,
                      (int)ends, (int)steps, (int)metrics);
    }
}

START_TEST(what_a_sink_wants_again_comes_from_every_thread)
{
    pthread_t thread;
    struct sw_error err;
    pthread_barrier_init(&turn, NULL, 2);
    ck_assert_int_eq(sw_sink_register(&fickle, NULL, &err), 0);
    sw = sw_open_text("profiler: {show_report: false, rolling_average: 1000}\n"
                      "logger_callback: [fickle]\n",
                      &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, NULL), 0);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    both_work(); /* whatever came before the sink was opened */
    turns_take();
    over = true;
    pthread_barrier_wait(&turn);
    pthread_join(thread, NULL);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    pthread_barrier_destroy(&turn);
}
END_TEST

/* ---- a sink whose options say what it wants -------------------------------------------------- */

struct choosy {
    bool steps;
};

static const struct sw_option choosy_options[] = {
    {.name = "steps",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct choosy, steps),
     .help = "-"},
    {.name = NULL},
};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static char selected_for[64];

static uint32_t choosy_select(const void *state, const struct sw_run *run)
{
    const struct choosy *choosy = state;
    snprintf(selected_for, sizeof selected_for, "%s", run->name);
    return SW_WANT(SW_RECORD_HPARAM) | (choosy->steps ? SW_WANT(SW_RECORD_STEP) : 0);
}

static int choosy_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)state;
    (void)err;
    sink_open = sink;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return 0;
}

static const struct sw_sink_plugin choosy = {
    SW_SINK_HEADER,
    .name = "choosy",
    .version = "1.0",
    .license = "MIT",
    .summary = "wants steps if its option says so",
    .wants = SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_STEP),
    .queue_records = 4,
    .options = choosy_options,
    .state_size = sizeof(struct choosy),
    .open = choosy_open,
    .record = fickle_record,
    .select = choosy_select,
};

/* Runs more steps than the queue has room for, before the sink is opened. Returns what sw_close()
 * says. */
static int steps_before_opening(const char *sinks, struct sw_error *err)
{
    enum { STEPS = 100 };
    ck_assert_int_eq(sw_sink_register(&choosy, NULL, err), 0);
    pthread_mutex_lock(&gate);
    sw = sw_open_text(sinks, err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(err));
    sw_begin(sw, SW_FIT);
    sw_hparam_int(sw, "wants", SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_STEP));
    for (int i = 0; i < STEPS; i++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_FIT);
    sw_flush(sw, SECOND / 10);
    pthread_mutex_unlock(&gate);
    return sw_close(sw, err);
}

START_TEST(what_a_sink_does_not_select_is_not_recorded_before_it_opens)
{
    struct sw_error err;
    steps = 0;
    int rc = steps_before_opening("name: mine\nprofiler: {show_report: false}\n"
                                  "logger_callback: [choosy: {steps: false}]\n",
                                  &err);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    ck_assert_int_eq(steps, 0);
    ck_assert_str_eq(selected_for, "mine");
}
END_TEST

START_TEST(what_it_selects_waits_until_it_opens)
{
    SW_ERROR_SCOPE(err);
    steps = 0;
    int rc = steps_before_opening("profiler: {show_report: false}\n"
                                  "logger_callback: [choosy: {steps: true}]\n",
                                  &err);
    ck_assert_int_eq(rc, SW_ESINK); /* there was room for four */
    ck_assert_int_eq(steps, 4);
}
END_TEST

SUITE(want)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, what_a_sink_wants_again_comes_from_every_thread);
    tcase_add_test(tc, what_a_sink_does_not_select_is_not_recorded_before_it_opens);
    tcase_add_test(tc, what_it_selects_waits_until_it_opens);
}
