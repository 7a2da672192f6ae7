/* SPDX-License-Identifier: MIT */
/* rank_log.c - one rank of many without MPI, for the group `ranks` of bench/run: rank_log STEPS.
 * Its clock is made up, so that its log is the same in each run. $STEPWATCH_CONFIG says where. */
#include <stepwatch/stepwatch.h>

#include <stdlib.h>

static int64_t now;

static int64_t clock_now(void *arg)
{
    (void)arg;
    return now;
}

static void region(struct sw_profiler *sw, int action, int64_t ns)
{
    sw_begin(sw, action);
    now += ns;
    sw_end(sw, action);
}

/* A step of about 110 ms that differs from the one before by some microseconds. */
static void step(struct sw_profiler *sw, int i)
{
    int64_t more = i * 7919 % 1000 * 1000;
    region(sw, SW_DRAW, 4000000 + more / 10);
    sw_begin(sw, SW_BATCH);
    region(sw, SW_FORWARD, 24000000 + more);
    region(sw, SW_BACKWARD, 47000000 + more);
    region(sw, sw_action("allreduce"), 30000000 - more);
    region(sw, SW_OPT_STEP, 4000000);
    sw_end_batch(sw, 64);
}

int main(int argc, char **argv)
{
    struct sw_error err = {0};
    struct sw_profiler *sw = sw_open(NULL, &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        return 1;
    }
    sw_set_clock(sw, clock_now, NULL);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1000); i++)
        step(sw, i);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    return sw_close(sw, &err) == 0 ? 0 : 1;
}
