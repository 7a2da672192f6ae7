/* SPDX-License-Identifier: MIT */
/* threads.h - the beginning and the end of a thread that is counted. */
#ifndef PROBES_FUNCTIONS_THREADS_H
#define PROBES_FUNCTIONS_THREADS_H

#include "probes/functions/thread_state.h"

/* Has the calling thread counted from now on; false where that is not possible. */
bool fn_own_join(void);

/* Returns whether calls are counted, but the calling thread cannot join: there are too many
 * threads, or no memory. */
bool fn_own_is_missing(void);

/* Does the same for a thread that is sampled, whose hooks do nothing. Returns NULL where that is
 * not possible. The caller ends it. */
struct fn_own *fn_own_join_sampled(void);

/* The thread ends: its tree is free for another. own: a struct fn_own. */
void fn_own_leave(void *own);

/* The ends of threads are noticed from now on. */
void fn_threads_end_key(void);

#endif
