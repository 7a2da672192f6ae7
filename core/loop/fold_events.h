/* SPDX-License-Identifier: MIT */
/* fold_events.h - makes rows, steps and records of the events of one thread, in their order. The
 * same events lead to the same rows: this reads no clock, takes no lock and waits for nothing. What
 * has to be done before it can go on, its caller does (fold.h). */
#ifndef CORE_LOOP_FOLD_EVENTS_H
#define CORE_LOOP_FOLD_EVENTS_H

#include "core/loop/state.h"

/* How far to fold. */
struct swi_fold_limit {
    int64_t upto;     /* tick */
    int64_t compared; /* up to this tick it is known whether the clock has gaps */
    uint64_t fits; /* no further than where the thread noted so many ended fits; UINT64_MAX: all */
    uint64_t followed; /* so many fits have ended as far as the other threads know */
    uint64_t until;    /* until so many fits are folded; 0: all */
};

enum swi_fold_stop {
    SWI_FOLD_DONE,    /* at the end, or at an event that lies beyond the limit */
    SWI_FOLD_COMPARE, /* the next event is later than `compared` */
    SWI_FOLD_FOLLOW   /* the next event says that more fits have ended than `followed` */
};

/* Folds the events from *at on, which is set to the next one before each of them is folded. They
 * may be anything: a crash may have written there. Under the fold lock. */
enum swi_fold_stop swi_fold_events(struct sw_profiler *sw, struct swi_thread *thread,
                                   const struct swi_event **at, const struct swi_event *end,
                                   const struct swi_fold_limit *limit);

#endif
