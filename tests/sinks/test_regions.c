/* SPDX-License-Identifier: MIT */
/* The run log with every region of every thread: when they are in it, and what is said where some
 * are not. */
#include "tests/support/host.h"
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const regions = "path: run.jsonl\ndetail: regions\n";

/* ---- a thread that does something, and then nothing more ------------------------------------- */

static struct sw_profiler *profiler;
static sem_t done, go_on;

static void *decode_once(void *arg)
{
    int action = sw_action("decode");
    (void)arg;
    sw_begin(profiler, action);
    sw_end(profiler, action);
    sem_post(&done);
    sem_wait(&go_on);
    return NULL;
}

static pthread_t thread_start(struct host *host)
{
    pthread_t thread;
    profiler = host_profiler(host);
    sem_init(&done, 0, 0);
    sem_init(&go_on, 0, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, decode_once, NULL), 0);
    while (sem_wait(&done) != 0)
        continue;
    return thread;
}

static void thread_end(pthread_t thread)
{
    sem_post(&go_on);
    pthread_join(thread, NULL);
}

/* Lines up to `end` that begin with one text and have another. */
static int64_t lines_count(const char *text, const char *end, const char *first, const char *also)
{
    int64_t count = 0;
    for (const char *line = text, *next; line < end; line = next) {
        next = strchr(line, '\n') + 1;
        count += strncmp(line, first, strlen(first)) == 0 &&
                 memmem(line, (size_t)(next - line), also, strlen(also));
    }
    return count;
}

/* Finds the beginning of a line that contains these texts; the test fails if there is none. */
static size_t place_of(const char *one, const char *other)
{
    const char *text = host_file("run.jsonl");
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n'), *found = strstr(line, one);
        const char *also = strstr(line, other);
        if (found && found < end && also && also < end)
            return (size_t)(line - text);
    }
    ck_abort_msg("no line with %s and %s", one, other);
}

/* 20 s is for a machine that does much else. */
START_TEST(what_a_thread_did_is_in_the_log_though_it_does_nothing_more)
{
    struct host *host = host_open("runlog", regions);
    bool found = false;
    pthread_t thread = thread_start(host);
    for (int i = 0; i < 2000 && !found; i++) {
        found = host_has("run.jsonl") &&
                strstr(host_file("run.jsonl"), "{\"type\":\"end\",\"t\":0,\"action\":\"decode\"");
        usleep(10000);
    }
    ck_assert(found);
    thread_end(thread);
    host_close(host);
}
END_TEST

START_TEST(what_a_thread_did_comes_before_a_flush_has_returned)
{
    struct host *host = host_open("runlog", regions);
    pthread_t thread = thread_start(host);
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(20000000000)), 0);
    place_of("\"type\":\"end\"", "decode");
    thread_end(thread);
    host_close(host);
}
END_TEST

START_TEST(what_a_thread_did_comes_before_the_end_of_the_fit_and_its_report)
{
    struct host *host = host_open("runlog", regions);
    sw_begin(host_profiler(host), SW_FIT);
    pthread_t thread = thread_start(host);
    sw_end(host_profiler(host), SW_FIT);
    thread_end(thread);
    host_close(host);
    size_t decoded = place_of("\"type\":\"end\"", "decode");
    ck_assert_uint_lt(decoded, place_of("\"type\":\"end\"", "\"fit\""));
    ck_assert_uint_lt(decoded, place_of("\"type\":\"report\"", "decode"));
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
}
END_TEST

START_TEST(what_a_thread_did_comes_before_a_pause)
{
    struct host *host = host_open("runlog", regions);
    pthread_t thread = thread_start(host);
    sw_pause(host_profiler(host));
    sw_resume(host_profiler(host));
    thread_end(thread);
    host_close(host);
    ck_assert_uint_lt(place_of("\"type\":\"end\"", "decode"), place_of("\"type\":\"pause\"", "t"));
}
END_TEST

/* ---- threads that are busy while a fit ends -------------------------------------------------- */

static atomic_bool stop;
static atomic_int rounds;

static void *decode_on(void *arg)
{
    int action = sw_action("decode");
    (void)arg;
    for (int i = 0; i < 20000 && !atomic_load(&stop); i++) {
        sw_begin(profiler, action);
        sw_end(profiler, action);
        sw_begin(profiler, SW_DRAW);
        sw_end(profiler, SW_DRAW);
        atomic_fetch_add(&rounds, 1);
    }
    return NULL;
}

/* Lines of a type and action of other threads before the end of the fit. */
static int64_t ended_before(const char *text, const char *action)
{
    const char *end = strstr(text, ",\"action\":\"fit\"}\n{\"type\":\"report\"");
    char wanted[64];
    ck_assert_ptr_nonnull(end);
    snprintf(wanted, sizeof wanted, "\"action\":\"%s\",\"thread\"", action);
    return lines_count(text, end, "{\"type\":\"end\"", wanted);
}

/* Calls of an action on other threads, by the first line `report`. */
static int64_t reported(const char *text, const char *action)
{
    json_t *line = json_loads(strstr(text, "{\"type\":\"report\""), JSON_DISABLE_EOF_CHECK, NULL);
    json_t *row;
    size_t i;
    int64_t calls = 0;
    json_array_foreach(json_object_get(line, "rows"), i, row)
    {
        const char *phase = json_string_value(json_object_get(row, "phase"));
        const char *name = json_string_value(json_object_get(row, "action"));
        if (strcmp(phase, "threads") == 0 && strcmp(name, action) == 0)
            calls = json_integer_value(json_object_get(row, "calls"));
    }
    json_decref(line);
    return calls;
}

/* With as many rows it takes a while to make the report. */
static void many_actions(void)
{
    char name[16];
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "own %d", i);
        sw_begin(profiler, sw_action(name));
        sw_end(profiler, sw_action(name));
    }
}

START_TEST(the_log_has_before_the_end_of_a_fit_what_its_report_has)
{
    enum { THREADS = 2 };
    pthread_t thread[THREADS];
    struct host *host = host_open("runlog", regions);
    profiler = host_profiler(host);
    atomic_store(&stop, false);
    sw_begin(profiler, SW_FIT);
    many_actions();
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, decode_on, NULL), 0);
    while (atomic_load(&rounds) < 1000)
        sched_yield();
    sw_end(profiler, SW_FIT);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    host_close(host);
    const char *text = host_file("run.jsonl");
    ck_assert_int_ge(reported(text, "decode"), 999);
    ck_assert_int_eq(ended_before(text, "decode"), reported(text, "decode"));
    ck_assert_int_eq(ended_before(text, "draw"), reported(text, "draw"));
}
END_TEST

static int64_t count_of(const char *first)
{
    const char *text = host_file("run.jsonl");
    return lines_count(text, text + strlen(text), first, "");
}

/* Of the line `report` of the log, and of what is made again of it. */
static double recorded(const char *key)
{
    const char *text = strstr(host_file("run.jsonl"), "{\"type\":\"report\"");
    json_t *line = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
    double value = json_number_value(json_object_get(line, key));
    json_decref(line);
    return value;
}

static double made(const char *key)
{
    json_t *document = json_loads(strstr(command_output(), "{\n"), JSON_DISABLE_EOF_CHECK, NULL),
           *run;
    run = json_array_get(json_object_get(document, "runs"), 0);
    json_t *report = json_array_get(json_object_get(run, "reports"), 0);
    ck_assert_ptr_nonnull(report);
    double value = json_number_value(json_object_get(report, key));
    json_decref(document);
    return value;
}

/* ---- the machine's own clock -------------------------------------------------------------------
 * Only there what needs no closer look is traced where it is measured.
 */

static void step_with_recursion(struct sw_profiler *sw, int own)
{
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    sw_next(sw, SW_LOSS);
    sw_end(sw, SW_LOSS);
    sw_begin(sw, own);
    sw_begin(sw, own);
    sw_end(sw, own);
    sw_end(sw, own);
    sw_end_batch(sw, 64);
}

static void own_clock_record(int steps, int pairs)
{
    struct sw_error err;
    int own = sw_action("own");
    scratch_enter();
    profiler = sw_open_text("profiler: { mode: simple, show_report: false }\nlogger_callback:\n"
                            "  - runlog: { path: run.jsonl, detail: regions }\n",
                            &err);
    ck_assert_msg(profiler != NULL, "%s", sw_error_text(&err));
    sw_begin(profiler, SW_FIT);
    sw_begin(profiler, SW_TRAIN);
    for (int i = 0; i < steps; i++)
        step_with_recursion(profiler, own);
    for (int i = 0; i < pairs; i++) {
        sw_begin(profiler, own);
        sw_end(profiler, own);
    }
    sw_end(profiler, SW_TRAIN);
    sw_end(profiler, SW_FIT);
    ck_assert_int_eq(sw_close(profiler, &err), 0);
}

START_TEST(regions_by_the_machines_own_clock_are_all_in_the_log)
{
    enum { STEPS = 300, PAIRS = 3000, REGIONS = 2 + 6 * STEPS + PAIRS };
    own_clock_record(STEPS, PAIRS);
    ck_assert_int_eq(count_of("{\"type\":\"begin\""), REGIONS);
    ck_assert_int_eq(count_of("{\"type\":\"end\""), REGIONS);
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_not_printed("lacks");
    assert_not_printed("more calls");
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    ck_assert_double_eq(made("steps"), STEPS);
    double fit_ns = recorded("fit_ns");
    ck_assert_double_eq_tol(made("fit_ns"), fit_ns, 0.02 * fit_ns);
    ck_assert_double_eq_tol(made("accounted_ns"), recorded("accounted_ns"), 0.02 * fit_ns);
}
END_TEST

/* ---- regions that are left open -------------------------------------------------------------- */

/* Every third batch is left by continue, with a region open in it. */
static void leaving_record(const char *detail)
{
    char options[64];
    snprintf(options, sizeof options, "path: run.jsonl\ndetail: %s\n", detail);
    struct host *host = host_open_with("runlog", options, "mode: simple\nrolling_average: 3\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < 2; epoch++) {
        sw_begin(sw, SW_EPOCH);
        sw_begin(sw, SW_TRAIN);
        for (int i = 0; i < 10; i++) {
            sw_begin(sw, SW_DRAW);
            host_wait(host, 1000000);
            sw_next(sw, SW_BATCH);
            sw_begin(sw, SW_FORWARD);
            host_wait(host, 2000000);
            sw_next(sw, sw_action("augment"));
            host_wait(host, 3000000);
            if (i % 3 == 0)
                continue;
            sw_end(sw, sw_action("augment"));
            host_wait(host, 4000000);
            sw_end_batch(sw, 64);
        }
        sw_end(sw, SW_TRAIN);
        sw_end(sw, SW_EPOCH);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
}

START_TEST(a_batch_that_was_left_replays_as_it_was_measured)
{
    static const char *const numbers[] = {"fit_ns", "accounted_ns", "other_ns",
                                          "steps",  "misuses",      "discarded"};
    leaving_record("regions");
    ck_assert_double_eq(recorded("misuses"), 6);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ck_assert_msg(made(numbers[i]) == recorded(numbers[i]), "%s: %g instead of %g", numbers[i],
                      made(numbers[i]), recorded(numbers[i]));
    ck_assert_ptr_nonnull(
        strstr(host_file("run.jsonl"), "\"action\":\"augment\",\"left_open\":true}"));
}
END_TEST

START_TEST(a_batch_that_was_left_is_in_no_row_that_is_made_of_steps)
{
    leaving_record("steps");
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
}
END_TEST

/* ---- a disk that is too slow ----------------------------------------------------------------- */

static int slow_fd;

static void *disk_copy(void *arg)
{
    static char block[65536];
    FILE *file = fopen("run.jsonl", "w");
    ssize_t n;
    (void)arg;
    ck_assert_ptr_nonnull(file);
    while ((n = read(slow_fd, block, sizeof block)) > 0)
        fwrite(block, 1, (size_t)n, file);
    fclose(file);
    return NULL;
}

static void step(struct sw_profiler *sw)
{
    sw_begin(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    sw_end(sw, SW_FORWARD);
    sw_end_batch(sw, 64);
}

/* A log of so many steps, of which nothing is read before the last. */
static void slow_record(const char *detail, int steps)
{
    struct sw_error err = {0};
    char options[64];
    pthread_t reader;
    snprintf(options, sizeof options, "path: slow\ndetail: %s\n", detail);
    run_record("steps");
    ck_assert_int_eq(mkfifo("slow", 0600), 0);
    slow_fd = open("slow", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct host *host = host_open_with("runlog", options, "mode: simple\nclose_timeout: 60s\n");
    sw_begin(host_profiler(host), SW_FIT);
    for (int i = 0; i < steps; i++) {
        step(host_profiler(host));
        if (*detail == 'r') /* so that its regions are a record of their own */
            sw_flush(host_profiler(host), 0);
    }
    /* All of it comes to the queue before the disk goes on. */
    sw_flush(host_profiler(host), 1000000);
    ck_assert_int_eq(fcntl(slow_fd, F_SETFL, 0), 0);
    ck_assert_int_eq(pthread_create(&reader, NULL, disk_copy, NULL), 0);
    sw_end(host_profiler(host), SW_FIT);
    ck_assert_int_eq(host_close_rc(host, &err), SW_ESINK);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "dropped because the sink was too slow"));
    pthread_join(reader, NULL);
    close(slow_fd);
    unlink("slow");
}

/* How much all lines `lost` have under a key. */
static int64_t lost(const char *key)
{
    int64_t sum = 0;
    for (const char *text = host_file("run.jsonl"); *text; text = strchr(text, '\n') + 1) {
        if (strncmp(text, "{\"type\":\"lost\"", 14) != 0)
            continue;
        json_t *line = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
        sum += json_integer_value(json_object_get(line, key));
        json_decref(line);
    }
    return sum;
}

START_TEST(a_disk_that_was_too_slow_is_reported_in_the_log_and_by_the_command)
{
    enum { STEPS = 18000 };
    char lacks[96];
    slow_record("steps", STEPS);
    int64_t steps = lost("steps");
    ck_assert_int_gt(steps, 0);
    ck_assert_int_eq(count_of("{\"type\":\"step\"") + steps, STEPS);
    snprintf(lacks, sizeof lacks, "lacks %d of the %d steps of the run's own report", (int)steps,
             STEPS);
    static const char *const commands[] = {"report run.jsonl --format csv", "replay run.jsonl",
                                           "compare run.jsonl run.jsonl"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        ck_assert_int_eq(stepwatch(commands[i]), 0);
        assert_printed("the disk was too slow for the run: ");
        assert_printed(lacks);
    }
}
END_TEST

START_TEST(regions_that_a_disk_was_too_slow_for_are_reported_in_the_log)
{
    enum { STEPS = 18000 };
    if (SANITIZED) {
        puts("SKIP: with a sanitizer it takes too long to fill a queue with regions");
        return;
    }
    slow_record("regions", STEPS);
    int64_t events = lost("regions");
    ck_assert_int_gt(events, 0);
    ck_assert_int_eq(count_of("{\"type\":\"begin\"") + count_of("{\"type\":\"end\"") + events,
                     2 + 4 * STEPS);
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed("the disk was too slow for the run: ");
    assert_printed(" of the 18000 steps of the run's own report");
}
END_TEST

START_TEST(a_log_that_lacks_lines_for_any_reason_is_found_out_by_its_own_report)
{
    run_record(_i ? "regions" : "steps");
    ck_assert_int_eq(system(_i ? "grep -v '\"t\":\\(5\\|6\\)0*,.*\"batch\"' run.jsonl > less.jsonl"
                               : "grep -v '\"step\":[56],\"phase\"' run.jsonl > less.jsonl"),
                     0);
    ck_assert_int_eq(stepwatch("report less.jsonl --format csv"), 0);
    assert_printed("less.jsonl: the log lacks ");
    assert_printed(" of the 21 steps of the run's own report");
    assert_printed("less.jsonl: the run's own report has more calls than the log in ");
    ck_assert_int_eq(stepwatch("report less.jsonl --json"), 0);
    assert_printed("\"lacks\": {");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_not_printed("lacks");
    assert_not_printed("more calls");
}
END_TEST

SUITE(regions)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, what_a_thread_did_is_in_the_log_though_it_does_nothing_more);
    tcase_add_test(tc, what_a_thread_did_comes_before_a_flush_has_returned);
    tcase_add_test(tc, what_a_thread_did_comes_before_the_end_of_the_fit_and_its_report);
    tcase_add_test(tc, what_a_thread_did_comes_before_a_pause);
    tcase_add_loop_test(tc, the_log_has_before_the_end_of_a_fit_what_its_report_has, 0, 5);
    tcase_add_test(tc, regions_by_the_machines_own_clock_are_all_in_the_log);
    tcase_add_test(tc, a_batch_that_was_left_replays_as_it_was_measured);
    tcase_add_test(tc, a_batch_that_was_left_is_in_no_row_that_is_made_of_steps);
    tcase_add_test(tc, a_disk_that_was_too_slow_is_reported_in_the_log_and_by_the_command);
    tcase_add_test(tc, regions_that_a_disk_was_too_slow_for_are_reported_in_the_log);
    tcase_add_loop_test(tc, a_log_that_lacks_lines_for_any_reason_is_found_out_by_its_own_report, 0,
                        2);
}
