/* SPDX-License-Identifier: MIT */
/* loop.c - has a record of every kind made, for abi.sh. */
#include <stepwatch/stepwatch.h>

int main(void)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open("stepwatch.yaml", &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        return 1;
    }
    int own = sw_action("own");
    sw_hparam_int(sw, "depth", 7);
    sw_hparam_int(sw, "width", 8);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    for (int step = 0; step < 100; step++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_next(sw, own);
        sw_end(sw, own);
        sw_log(sw, "m/first", step);
        sw_log(sw, "m/second", step + 0.5);
        sw_log(sw, "m/third", -step);
        sw_end_batch(sw, 4);
    }
    sw_pause(sw);
    sw_resume(sw);
    sw_end(sw, SW_BACKWARD); /* a misuse */
    sw_end(sw, SW_LOSS);     /* another */
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    return sw_close(sw, &err) < 0;
}
