/* SPDX-License-Identifier: MIT */
/* clocked.c - measures a loop on a made-up clock, so that two builds of the library must report the
 * same. */
#ifdef AMALGAMATED
#include "stepwatch.h"
#else
#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>
#endif

/* Each look at the clock takes a little longer than the one before. */
static int64_t tick(void *arg)
{
    int64_t *clock = arg;
    clock[1] += 7;
    return clock[0] += 1000 + clock[1] % 500;
}

int main(void)
{
    SW_ERROR_SCOPE(err);
    int64_t clock[2] = {0, 0};
    struct sw_profiler *sw = sw_open(NULL, &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        return 1;
    }
    sw_set_clock(sw, tick, clock);
    sw_set_start(sw, 1.7e9);
    sw_hparam_float(sw, "rate", 0.1);
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < 3; epoch++) {
        SW_SCOPE(sw, SW_EPOCH);
        for (int phase = SW_TRAIN; phase <= SW_VALID; phase++) {
            SW_SCOPE(sw, phase);
            for (int i = 0; i < 20; i++) {
                sw_begin(sw, SW_DRAW);
                sw_next(sw, SW_BATCH);
                sw_begin(sw, phase == SW_TRAIN ? SW_FORWARD : SW_PREDICT);
                sw_next(sw, sw_action("own action"));
                sw_end(sw, sw_action("own action"));
                sw_log(sw, "train/loss", 1.0 / (i + 1));
                sw_end_batch(sw, 16);
            }
        }
    }
    sw_end(sw, SW_FIT);
    return sw_close(sw, &err) < 0;
}
