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

#endif
