/* SPDX-License-Identifier: MIT */
/* The watchdog: no false alarm in simulated healthy runs, every stall is told, and what is told. */
#include "core/watchdog/stall.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include <arpa/inet.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND 1e9

/* ---- simulated runs -------------------------------------------------------------------------- */

/* A small generator of its own, the same everywhere. */
static uint64_t state;

static double uniform(double low, double high)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static double normal(double deviation)
{
    double u = 1 - uniform(0, 1);
    return deviation * sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(0, 1));
}

static double between_logs(double low, double high)
{
    return exp(uniform(log(low), log(high)));
}

static double chosen(const double *from, int count)
{
    return from[(int)uniform(0, count)];
}

/* A run whose watchdog looks once a second. */
struct simulated {
    struct swi_stall stall;
    double now; /* seconds */
    double looked;
    int alarms;
    int64_t steps; /* since the last look */
    enum swi_stage stage;
};

static int64_t ns(double seconds)
{
    return (int64_t)(seconds * SECOND);
}

static void look(struct simulated *run, double now)
{
    swi_stall_check(&run->stall, run->stage, run->steps, ns(now));
    run->steps = 0;
    run->looked = now;
    run->alarms += swi_stall_begins(&run->stall, ns(now));
}

static void pass(struct simulated *run, double seconds)
{
    run->now += seconds;
    while (run->looked + 1 <= run->now)
        look(run, run->looked + 1);
}

static void enter(struct simulated *run, enum swi_stage stage)
{
    run->stage = stage;
}

static void begin(struct simulated *run, uint64_t seed)
{
    *run = (struct simulated){0};
    state = seed * UINT64_C(2654435761) + 1;
    swi_stall_init(&run->stall, ns(60), 0);
}

/* As live.py makes them: steps of 2 ms to 20 s, validation up to twice an epoch's training with or
 * without steps, checkpoints of 1 to 240 s, a start of up to 20 minutes, hiccups of up to 40 s. */
static int healthy(uint64_t seed, bool valid_steps)
{
    static const double factors[] = {10, 50, 200, 1000}, hiccups[] = {0, 0, 0.5, 3, 15, 40};
    struct simulated run;
    begin(&run, seed);
    double step = between_logs(0.002, 20);
    int steps = (int)uniform(50, 401), epochs = (int)uniform(3, 9);
    double valid = fmin(step * chosen(factors, 4) * uniform(0.5, 2), 2 * steps * step);
    double checkpoint = exp(uniform(0, log(240))), hiccup = chosen(hiccups, 6);
    pass(&run, uniform(1, 1200));
    for (int epoch = 0; epoch < epochs; epoch++) {
        enter(&run, SWI_STAGE_STEP);
        for (int i = 0; i < steps; i++) {
            double late = uniform(0, 1) < 0.005 ? hiccup * uniform(0, 1) : 0;
            pass(&run, step * exp(normal(0.2)) + late);
            run.steps++;
        }
        enter(&run, SWI_STAGE_BETWEEN);
        if (uniform(0, 1) < 0.5)
            pass(&run, checkpoint * exp(normal(0.3)));
        enter(&run, valid_steps ? SWI_STAGE_VALID_STEP : SWI_STAGE_VALID);
        for (int i = 0; i < (valid_steps ? 20 : 1); i++) {
            pass(&run, valid / (valid_steps ? 20 : 1) * exp(normal(0.1)));
            run.steps += valid_steps;
        }
        enter(&run, SWI_STAGE_BETWEEN);
        pass(&run, 0.1 * step);
    }
    return run.alarms;
}

enum { RUNS = 2000, STALLS = 1500 };

START_TEST(no_healthy_run_of_two_thousand_has_an_alarm)
{
    int alarms = 0;
    for (uint64_t seed = 0; seed < RUNS; seed++)
        alarms += healthy(seed, _i) > 0;
    ck_assert_int_eq(alarms, 0);
}
END_TEST

/* Seconds until it is told that a run has stopped for good; -1: never. */
static double stopped(uint64_t seed, enum swi_stage *stage)
{
    static const enum swi_stage stages[] = {SWI_STAGE_STEP, SWI_STAGE_VALID, SWI_STAGE_BETWEEN};
    struct simulated run;
    begin(&run, seed);
    double step = between_logs(0.002, 20);
    pass(&run, 5);
    for (int epoch = 0; epoch < 4; epoch++) {
        enter(&run, SWI_STAGE_STEP);
        for (int i = 0; i < 60; i++) {
            pass(&run, step * exp(normal(0.2)));
            run.steps++;
        }
        enter(&run, SWI_STAGE_BETWEEN);
        pass(&run, uniform(0.1, 30));
        enter(&run, SWI_STAGE_VALID);
        pass(&run, 20 * step);
        enter(&run, SWI_STAGE_BETWEEN);
        pass(&run, 0.1);
    }
    *stage = stages[(int)uniform(0, 3)];
    enter(&run, *stage);
    double since = run.now;
    ck_assert_int_eq(run.alarms, 0);
    for (int second = 0; second < 4000 && run.alarms == 0; second++)
        pass(&run, 1);
    return run.alarms ? run.now - since : -1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

START_TEST(every_stall_is_told_as_soon_as_the_specification_says)
{
    static double in_step[STALLS];
    size_t count = 0;
    for (uint64_t seed = 0; seed < STALLS; seed++) {
        enum swi_stage stage;
        double reported = stopped(seed, &stage);
        ck_assert_msg(reported > 0, "run %d was never told", (int)seed);
        ck_assert(reported < (stage == SWI_STAGE_STEP ? 800 : 33 * 60 + 60));
        if (stage == SWI_STAGE_STEP)
            in_step[count++] = reported;
    }
    qsort(in_step, count, sizeof *in_step, by_value);
    ck_assert_double_le(in_step[count / 2], 62);
    ck_assert_double_le(in_step[count * 9 / 10], 260);
}
END_TEST

START_TEST(a_stall_is_told_once_and_ends_with_the_next_step)
{
    struct swi_stall stall;
    swi_stall_init(&stall, ns(60), 0);
    swi_stall_check(&stall, SWI_STAGE_STEP, 0, 0);
    for (int i = 1; i <= 30; i++)
        ck_assert(!swi_stall_check(&stall, SWI_STAGE_STEP, 1, ns(i)));
    ck_assert(!swi_stall_begins(&stall, ns(90)));
    ck_assert(swi_stall_begins(&stall, ns(91)));
    ck_assert(!swi_stall_begins(&stall, ns(1000)));
    ck_assert(swi_stall_check(&stall, SWI_STAGE_STEP, 1, ns(1001)));
    ck_assert(!swi_stall_check(&stall, SWI_STAGE_STEP, 1, ns(1002)));
    ck_assert_int_eq(stall.reported_since_ns, ns(30));
}
END_TEST

START_TEST(a_pause_and_a_program_that_was_stopped_are_no_stall)
{
    struct swi_stall stall;
    swi_stall_init(&stall, ns(60), 0);
    swi_stall_check(&stall, SWI_STAGE_STEP, 0, 0);
    swi_stall_check(&stall, SWI_STAGE_STEP, 30, ns(30));
    swi_stall_check(&stall, SWI_STAGE_AWAY, 0, ns(31));
    ck_assert(!swi_stall_begins(&stall, ns(100000)));
    swi_stall_check(&stall, SWI_STAGE_STEP, 0, ns(100000));
    swi_stall_leave_out(&stall, ns(500));
    ck_assert(!swi_stall_begins(&stall, ns(100560)));
    ck_assert(swi_stall_begins(&stall, ns(100561)));
}
END_TEST

/* ---- a real one ------------------------------------------------------------------------------ */

static void step(struct sw_profiler *sw)
{
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    usleep(1000);
    sw_end_batch(sw, 1);
}

static atomic_bool reported;

/* Waits until the log has an alert of this kind, however busy the machine is. */
static void wait_for(const char *kind)
{
    for (int i = 0; i < 6000 && !strstr(host_file("run.jsonl"), kind); i++)
        usleep(10000);
    ck_assert_ptr_nonnull(strstr(host_file("run.jsonl"), kind));
}

static void *helper(void *sw)
{
    sw_begin(sw, sw_action("read_file"));
    while (!atomic_load(&reported))
        usleep(1000);
    sw_end(sw, sw_action("read_file"));
    return NULL;
}

/* The n-th alert of the log; the caller's. */
static json_t *alert_of(int n)
{
    const char *at = host_file("run.jsonl");
    for (; (at = strstr(at, "{\"type\":\"alert\"")) != NULL && n-- > 0; at++)
        continue;
    ck_assert_ptr_nonnull(at);
    json_t *line = json_loadb(at, strcspn(at, "\n"), 0, NULL);
    ck_assert_ptr_nonnull(line);
    return line;
}

static const char *string_of(const json_t *line, const char *key)
{
    return json_string_value(json_object_get(line, key));
}

/* Of one server that takes one request: all that it was sent. */
static struct server {
    int listener, port;
    char got[4096];
    pthread_t thread;
} server;

static void *serve(void *unused)
{
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    int client = accept(server.listener, NULL, NULL);
    size_t used = 0;
    ssize_t size = 1;
    while (size > 0 && !strstr(server.got, "}")) {
        size = read(client, server.got + used, sizeof server.got - 1 - used);
        used += size > 0 ? (size_t)size : 0;
    }
    size = write(client, answer, sizeof answer - 1);
    close(client);
    close(server.listener); /* no other request is answered */
    return unused;
}

static void server_start(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(server.listener, (struct sockaddr *)&address, size), 0);
    ck_assert_int_eq(listen(server.listener, 1), 0);
    getsockname(server.listener, (struct sockaddr *)&address, &size);
    server.port = ntohs(address.sin_port);
    ck_assert_int_eq(pthread_create(&server.thread, NULL, serve, NULL), 0);
}

/* One real stall, with all that is told of it. */
START_TEST(a_stall_is_told_with_what_each_thread_does_and_brought_to_a_command_and_an_address)
{
    char options[512];
    pthread_t thread;
    host_close(host_open("runlog", "path: /dev/null\n")); /* enters the scratch folder */
    server_start();
    snprintf(
        options, sizeof options,
        "watchdog: {timeout: 1s, command: 'echo \"$$STEPWATCH_ALERT_KIND $$STEPWATCH_ALERT_STEP: "
        "$$STEPWATCH_ALERT_TEXT\" >>told.txt', webhook: 'http://127.0.0.1:%d/secret'}\n",
        server.port);
    struct host *host = host_open_with("runlog", "path: run.jsonl\n", options);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 250; i++)
        step(sw);
    ck_assert_int_eq(pthread_create(&thread, NULL, helper, sw), 0);
    sw_begin(sw, SW_DRAW);
    wait_for("\"kind\":\"stall\"");
    atomic_store(&reported, true);
    pthread_join(thread, NULL);
    sw_next(sw, SW_BATCH);
    sw_end_batch(sw, 1);
    wait_for("\"kind\":\"goes-on\"");
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    host_close(host);
    pthread_join(server.thread, NULL);

    json_t *stall = alert_of(0), *again = alert_of(1), *open = json_object_get(stall, "open");
    ck_assert_str_eq(string_of(stall, "kind"), "stall");
    ck_assert_str_eq(string_of(stall, "level"), "WARN");
    ck_assert_int_eq(json_integer_value(json_object_get(stall, "step")), 249);
    const char *text = string_of(stall, "text");
    ck_assert_msg(strncmp(text, "no step for 0:", 14) == 0 && strstr(text, " (usually "), "%s",
                  text);
    ck_assert_ptr_nonnull(strstr(text, "draw is open since 0:0"));
    ck_assert_ptr_nonnull(strstr(text, " on the loop thread"));
    ck_assert_ptr_nonnull(strstr(text, "thread 1: read_file since 0:0"));
    ck_assert_uint_eq(json_array_size(open), 2);
    ck_assert_str_eq(string_of(again, "kind"), "goes-on");
    ck_assert_str_eq(string_of(again, "level"), "INFO");
    ck_assert_ptr_nonnull(strstr(host_messages(host), "warning: no step for 0:"));
    ck_assert_ptr_nonnull(strstr(host_messages(host), "note: the loop goes on after 0:0"));
    const char *brought = host_file("told.txt");
    ck_assert_msg(strncmp(brought, "stall 249: no step for", 22) == 0, "%s", brought);
    ck_assert_ptr_nonnull(strstr(brought, "\ngoes-on 250: the loop goes on"));
#ifdef HAVE_CURL
    ck_assert_ptr_nonnull(strstr(server.got, "POST /secret HTTP/1.1\r\n"));
    ck_assert_ptr_nonnull(strstr(server.got, "{\"text\":\"The loop stands still: no step for"));
    ck_assert_ptr_nonnull(strstr(server.got, ",\"step\":249,\"kind\":\"stall\"}"));
#endif
    ck_assert_ptr_null(strstr(host_messages(host), "secret")); /* the second POST failed */
    json_decref(stall);
    json_decref(again);
}
END_TEST

SUITE(watchdog)
{
    tcase_add_loop_test(tc, no_healthy_run_of_two_thousand_has_an_alarm, 0, 2);
    tcase_add_test(tc, every_stall_is_told_as_soon_as_the_specification_says);
    tcase_add_test(tc, a_stall_is_told_once_and_ends_with_the_next_step);
    tcase_add_test(tc, a_pause_and_a_program_that_was_stopped_are_no_stall);
    tcase_add_test(
        tc, a_stall_is_told_with_what_each_thread_does_and_brought_to_a_command_and_an_address);
}
