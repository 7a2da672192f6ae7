/* SPDX-License-Identifier: MIT */
/* sweep.c - a program for a sweep of W&B: it takes the learning rate and the number of steps from
 * the sweep, or its own without one. The sweep's file:
 *
 *     program: ./sweep
 *     command: ["${program}"]
 *     method: bayes
 *     metric: {name: train/loss, goal: minimize}
 *     parameters: {lr: {min: 0.01, max: 1.0}, steps: {values: [100, 1000]}} */
#include <stepwatch/stepwatch.h>

int main(void)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open(NULL, &err);
    if (!sw)
        sw_error_print(stderr, &err);
    double lr = sw_param(sw, "lr", 0.1);
    int steps = (int)sw_param(sw, "steps", 100);

    double weight = 0;
    for (int step = 0; step < steps && !sw_should_stop(sw); step++) {
        sw_begin(sw, SW_BATCH);
        double x = (step % 10 + 1) / 10.0, error = weight * x - 3 * x;
        weight -= lr * 2 * error * x;
        sw_log(sw, "train/loss", error * error);
        sw_end_batch(sw, 1);
    }
    if (sw_close(sw, &err) < 0)
        sw_error_print(stderr, &err);
    return 0;
}
