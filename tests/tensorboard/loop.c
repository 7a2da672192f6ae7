/* SPDX-License-Identifier: MIT */
/* loop.c - a training loop for the tests that run one as a program of its own.
 *
 * loop YAML STEPS PACE_US: epochs of 50 steps, each of PACE_US microseconds; 0 is a made-up clock
 * on which a step takes 10 ms. Says "step N" after each step, and at the end how long the loop and
 * the closing took, in seconds. */
#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t made_up_ns;
static unsigned pace_us;

static int64_t made_up(void *arg)
{
    (void)arg;
    return made_up_ns;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A share of a step's time. */
static void work(int percent)
{
    if (pace_us)
        usleep(pace_us * (unsigned)percent / 100);
    else
        made_up_ns += INT64_C(100000) * percent;
}

static void step(struct sw_profiler *sw, int n)
{
    sw_begin(sw, SW_DRAW);
    work(20);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    work(30);
    sw_next(sw, SW_BACKWARD);
    work(50);
    sw_end(sw, SW_BACKWARD);
    sw_log(sw, "train/loss", 1.0 / (n + 1));
    sw_end_batch(sw, 50);
}

static void loop(struct sw_profiler *sw, int steps)
{
    SW_SCOPE(sw, SW_FIT);
    for (int n = 0; n < steps;) {
        SW_SCOPE(sw, SW_EPOCH);
        SW_SCOPE(sw, SW_TRAIN);
        for (int end = n + 50; n < end && n < steps; n++) {
            step(sw, n);
            printf("step %d\n", n);
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    struct sw_error err = {0};
    struct sw_profiler *sw = sw_open_text(argv[1], &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        return 1;
    }
    pace_us = (unsigned)atoi(argv[3]);
    if (!pace_us)
        sw_set_clock(sw, made_up, NULL);
    sw_hparam_float(sw, "lr", 0.25);
    sw_hparam_string(sw, "optimizer", "adam");
    double begun = seconds();
    loop(sw, atoi(argv[2]));
    double closing = seconds();
    int rc = sw_close(sw, &err);
    sw_error_print(stderr, &err);
    printf("loop %.3f s, close %.3f s, %d\n", closing - begun, seconds() - closing, rc);
    return 0;
}
