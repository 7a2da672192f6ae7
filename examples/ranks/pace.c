/* SPDX-License-Identifier: MIT */
#include "pace.h"

#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct pace pace_of(const struct rank_options *options, int rank)
{
    return (struct pace){.step_s = options->pace_ms / 1e3,
                         .slower = rank == options->slow_rank ? options->slow_by : 0};
}

void pace_begin(struct pace *pace)
{
    pace->begun_s = seconds();
}

/* Without a pace, the slow rank takes longer than its computation did. */
void pace_end(const struct pace *pace, double share)
{
    double took = seconds() - pace->begun_s, usual = pace->step_s * share;
    double left = (usual > took ? usual : took) * (1 + pace->slower) - took;
    struct timespec wait = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (time_t)left) * 1e9)};
    if (left > 0)
        nanosleep(&wait, NULL);
}
