/* SPDX-License-Identifier: MIT */
#include "sinks/table/progress_times.h"

#include <stddef.h>

#define SECOND INT64_C(1000000000)

/* In seconds. After the last one, the interval stays the same. */
static const int64_t ladder[] = {10, 30, 60, 120, 300, 600};
enum { RUNGS = sizeof ladder / sizeof *ladder };
#define LONGEST (600 * SECOND)

/* Returns the first time of a line after now. */
static int64_t next_of(const struct swi_progress_times *times, int64_t now_ns)
{
    if (times->interval_ns > 0)
        return (now_ns / times->interval_ns + 1) * times->interval_ns;
    for (size_t i = 0; i < RUNGS; i++)
        if (ladder[i] * SECOND > now_ns)
            return ladder[i] * SECOND;
    return (now_ns / LONGEST + 1) * LONGEST;
}

void swi_progress_times_init(struct swi_progress_times *times, int64_t interval_ns)
{
    *times =
        (struct swi_progress_times){.interval_ns = interval_ns, .epochs_only = interval_ns == 0};
    times->due_ns = next_of(times, 0);
}

/* The end of an epoch gets a line if the last line is at least a minute, and a quarter of the run,
 * old. */
static bool epoch_is_due(const struct swi_progress_times *times, int64_t now_ns)
{
    if (times->interval_ns != SWI_PROGRESS_AUTO)
        return times->epochs_only;
    int64_t least = now_ns / 4 < LONGEST ? now_ns / 4 : LONGEST;
    least = least > 60 * SECOND ? least : 60 * SECOND;
    return now_ns - times->last_ns >= least;
}

bool swi_progress_due(struct swi_progress_times *times, int64_t now_ns, bool epoch_ended)
{
    bool timed = !times->epochs_only && now_ns >= times->due_ns;
    if (!timed && !(epoch_ended && epoch_is_due(times, now_ns)))
        return false;
    if (timed)
        times->due_ns = next_of(times, now_ns);
    times->last_ns = now_ns;
    return true;
}
