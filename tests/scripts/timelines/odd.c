/* SPDX-License-Identifier: MIT */
/* odd.c - a run with everything that a timeline may meet: 200 levels, 64 threads, names of any
 * bytes, regions of no time, a pause, spans, and a day. Its clock is made up. */
#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 200, THREADS = 64, LONG = 65536, DAY_S = 86400 };

static atomic_llong now_ns;
static int tick_ns = 7; /* each look at the clock takes this long */

static int64_t now(void *arg)
{
    (void)arg;
    return atomic_fetch_add(&now_ns, tick_ns) + tick_ns;
}

static struct sw_profiler *sw;

static void levels(void)
{
    char name[32];
    int action[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        snprintf(name, sizeof name, "level %d", i);
        action[i] = sw_action(name);
        sw_begin(sw, action[i]);
    }
    for (int i = LEVELS; i-- > 0;)
        sw_end(sw, action[i]);
}

static pthread_barrier_t all;

/* All threads are there together, and take turns, so that the made-up clock is the same for each
 * of them. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *thread_run(void *arg)
{
    int decode = sw_action("decode"), copy = sw_action("copy");
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&turn);
    sw_begin(sw, decode);
    sw_begin(sw, copy);
    sw_span_end(sw, *(int64_t *)arg);
    sw_end(sw, copy);
    sw_end(sw, decode);
    pthread_mutex_unlock(&turn);
    pthread_barrier_wait(&all);
    return NULL;
}

/* A span from the loop to each thread. */
static void threads(void)
{
    pthread_t thread[THREADS];
    int64_t span[THREADS];
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        span[i] = sw_span_begin(sw, sw_action("request"));
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, thread_run, &span[i]) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&all);
}

static void names(void)
{
    static char longest[LONG + 1];
    memset(longest, 'x', LONG);
    const char *const odd[] = {"\"quoted\" \\ name",
                               "emoji \xf0\x9f\x98\x80",
                               "bad \xff\xc3 bytes",
                               "control \x01\t end",
                               "<b>&amp;</b>; a b",
                               "\\u00b5",
                               "unnamed",
                               longest};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        sw_begin(sw, sw_action(odd[i]));
        sw_end(sw, sw_action(odd[i]));
    }
}

/* Regions that begin and end together. */
static void moments(void)
{
    tick_ns = 0;
    sw_begin(sw, sw_action("outer"));
    sw_begin(sw, sw_action("inner"));
    sw_end(sw, sw_action("inner"));
    sw_end(sw, sw_action("outer"));
    tick_ns = 7;
}

static void steps(int count)
{
    for (int i = 0; i < count; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_next(sw, SW_BACKWARD);
        sw_end(sw, SW_BACKWARD);
        sw_end_batch(sw, 64);
    }
}

int main(void)
{
    SW_ERROR_SCOPE(err);
    sw = sw_open("odd.yaml", &err);
    if (!sw) {
        fprintf(stderr, "%s\n", sw_error_text(&err));
        return 1;
    }
    sw_set_clock(sw, now, NULL);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    steps(3);
    levels();
    threads();
    names();
    moments();
    sw_log(sw, "loss \"1\"", 0.125);
    sw_log(sw, "loss \"1\"", -3e9);
    sw_log(sw, "IteratorGetNext", 7);
    sw_note(sw, "note \"1\"");
    sw_pause(sw);
    sw_resume(sw);
    int64_t span = sw_span_begin(sw, sw_action("overnight"));
    atomic_fetch_add(&now_ns, DAY_S * INT64_C(1000000000) + 457);
    steps(3);
    sw_span_end(sw, span);
    sw_span_begin(sw, sw_action("never ended"));
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    return sw_close(sw, &err) < 0;
}
