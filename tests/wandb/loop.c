/* SPDX-License-Identifier: MIT */
/* loop.c - a training loop for the tests that run one as a program of its own.
 *
 * wandb-loop STEPS PACE_US [STATUS [OPTIONS]]: one epoch of STEPS training steps, each of PACE_US
 * microseconds; 0 is a made-up clock on which a step takes 30 ms. Prints the number of each step
 * that was logged, and ends with STATUS. OPTIONS are the sink's. */
#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char yaml[] = "profiler: {mode: throughput, show_report: false, signals: false}\n"
                           "logger_callback:\n"
                           "  - wandb: {%s}\n";

static int64_t now_ns;

static int64_t clock_ns(void *arg)
{
    (void)arg;
    return now_ns;
}

static void step(struct sw_profiler *sw, int k)
{
    sw_begin(sw, SW_DRAW);
    now_ns += 10000000;
    sw_next(sw, SW_BATCH);
    now_ns += 20000000;
    sw_log(sw, "train/loss", 1.0 / (k + 1));
    if (k == 3) {
        sw_log(sw, "not_a_number", NAN);
        sw_log(sw, "infinite", INFINITY);
    }
    sw_end_batch(sw, 64);
    printf("%d\n", k);
    fflush(stdout);
}

static void train(struct sw_profiler *sw, int steps, useconds_t pace_us)
{
    SW_SCOPE(sw, SW_FIT);
    SW_SCOPE(sw, SW_EPOCH);
    SW_SCOPE(sw, SW_TRAIN);
    for (int k = 0; k < steps; k++) {
        step(sw, k);
        if (pace_us)
            usleep(pace_us);
    }
}

int main(int argc, char **argv)
{
    struct sw_error err;
    if (argc < 3)
        return 2;
    int status = argc > 3 ? atoi(argv[3]) : 0;
    char text[1024];
    snprintf(text, sizeof text, yaml, argc > 4 ? argv[4] : "project: loops, tags: [a, b c]");
    struct sw_profiler *sw = sw_open_text(text, &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        return 3;
    }
    if (atoi(argv[2]) == 0)
        sw_set_clock(sw, clock_ns, NULL);
    sw_hparam_float(sw, "lr", 0.5);
    sw_hparam_int(sw, "layers", 3);
    sw_hparam_string(sw, "name", "a \"quoted\" ä");
    train(sw, atoi(argv[1]), (useconds_t)atoi(argv[2]));
    sw_set_exit_status(sw, status);
    if (sw_close(sw, &err) < 0)
        sw_error_print(stderr, &err);
    return status;
}
