/* SPDX-License-Identifier: MIT */
/* progress_times.h - when a log gets a line about how far the loop is, in the time of the run. */
#ifndef SINKS_TABLE_PROGRESS_TIMES_H
#define SINKS_TABLE_PROGRESS_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* In place of an interval: after 10 s, 30 s, 1, 2, 5 and 10 minutes, then every 10 minutes, and at
 * the ends of epochs in between. */
#define SWI_PROGRESS_AUTO INT64_C(-1)

struct swi_progress_times {
    int64_t interval_ns; /* 0: only the end of each epoch */
    int64_t due_ns;      /* the next line */
    int64_t last_ns;     /* of the last line; 0 before the first */
    bool epochs_only;
};

void swi_progress_times_init(struct swi_progress_times *times, int64_t interval_ns);

/* Returns whether a line is due at a time, which does not go back, or at an epoch's end then. It
 * counts as written if it is. */
bool swi_progress_due(struct swi_progress_times *times, int64_t now_ns, bool epoch_ended);

#endif
