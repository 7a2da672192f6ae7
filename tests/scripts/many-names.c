/* SPDX-License-Identifier: MIT */
/* many-names CONFIG NAMES [RULES]: three steps, in each of which as many metrics get a value and as
 * many actions run. Each step has them in another order, so that none is where it was in the step
 * before. With RULES, the metrics have an axis. */
#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void step(struct sw_profiler *sw, int names, int stride)
{
    char name[64];
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "progress", stride);
    for (int i = 0; i < names; i++) {
        snprintf(name, sizeof name, "layer.%d/weight", (int)((long)i * stride % names));
        sw_log(sw, name, i);
        int action = sw_action(name);
        sw_begin(sw, action);
        sw_end(sw, action);
    }
    sw_end_batch(sw, 32);
}

int main(int argc, char **argv)
{
    struct sw_error err;
    struct sw_profiler *sw = argc > 2 ? sw_open(argv[1], &err) : NULL;
    if (!sw)
        return 2;
    if (argc > 3)
        sw_define(sw, "layer.*",
                  &(struct sw_rule){.size = sizeof(struct sw_rule), .axis = "progress"});
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    step(sw, atoi(argv[2]), 1);
    step(sw, atoi(argv[2]), 7919);
    step(sw, atoi(argv[2]), 101);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    if (sw_close(sw, &err) == 0)
        return 0;
    sw_error_print(stderr, &err);
    return 1;
}
