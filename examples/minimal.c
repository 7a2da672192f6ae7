/* SPDX-License-Identifier: MIT */
/* minimal.c - measures a training loop with a single weight, and says what goes wrong. */
#include <stepwatch/stepwatch.h>

int main(void)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open(NULL, &err); /* reads $STEPWATCH_CONFIG or ./stepwatch.yaml */
    if (!sw)
        sw_error_print(stderr, &err); /* all calls below accept NULL and do nothing */

    double weight = 0;
    for (int step = 0; step < 1000; step++) {
        sw_begin(sw, SW_DRAW);
        double x = step % 100 / 100.0, y = 3 * x;
        sw_next(sw, SW_BATCH); /* ends draw, begins batch */
        sw_begin(sw, SW_FORWARD);
        double guess = weight * x;
        sw_next(sw, SW_LOSS);
        double error = guess - y;
        sw_next(sw, SW_BACKWARD);
        double gradient = 2 * error * x;
        sw_next(sw, SW_OPT_STEP);
        weight -= 0.1 * gradient;
        sw_end(sw, SW_OPT_STEP);
        sw_log(sw, "train/loss", error * error);
        sw_end_batch(sw, 1); /* ends the batch and the step: 1 sample */
    }
    if (sw_close(sw, &err) < 0) /* prints the report */
        sw_error_print(stderr, &err);
    return 0;
}
