/* SPDX-License-Identifier: MIT */
/* fold.h - makes rows, steps and records of the events that threads noted, in the order in which
 * each of them happened. Whoever holds the fold lock does it: the dispatcher, now and then; a call
 * that asks what was measured; a thread whose events are too many.
 *
 * Threads do not depend on each other, except where an epoch or a fit ends: there, all of them are
 * folded up to the same tick. */
#ifndef CORE_LOOP_FOLD_H
#define CORE_LOOP_FOLD_H

#include "core/loop/state.h"

/* Makes the fold lock, whose calls fold. */
void swi_fold_init(struct sw_profiler *sw);

/* The dispatcher's look: folds a chunk of each thread, so that no other thread waits long for the
 * lock, and the records of one are on their way before the next. Returns whether there is more. */
bool swi_fold_look(struct sw_profiler *sw);

/* ---- what a begin leads to when it is folded (fold_begin.c) ---------------------------------- */

void swi_fold_begin(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);
/* Begins a region and ends it at once, for a region with nothing inside, in
 * fewer instructions: most regions are such. Returns false, without having done anything, if these
 * have more to do than to add a duration. */
bool swi_fold_leaf(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t begin,
                   int64_t end);

/* ---- the events of one thread, in their order ------------------------------------------------ */

/* The same events lead to the same rows: this reads no clock, takes no lock and waits for nothing.
 * What has to be done before it can go on, its caller does. */

/* How far to fold. */
struct swi_fold_limit {
    int64_t upto;   /* tick */
    uint64_t fits;  /* no further than where a thread noted so many ended fits; UINT64_MAX: all */
    uint64_t until; /* until so many fits are folded; 0: all */
    int chunks;     /* of each thread, at most; 0: all */
    bool hurried;   /* stops where the lock of the clock is held: maybe by what a signal handler
                       has interrupted */
    /* Of the events of one thread. */
    int64_t compared;  /* up to this tick it is known whether the clock has gaps */
    uint64_t followed; /* so many fits have ended as far as the other threads know */
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
