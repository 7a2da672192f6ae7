/* SPDX-License-Identifier: MIT */
/* waiting.h - `times: wall`: a thread looks at all sampled threads at an interval. For one that
 * waits, it notes which functions are open; the thread is not interrupted. For one that runs, the
 * next sample of CPU time counts. So samples are of wall time. */
#ifndef PROBES_FUNCTIONS_WAITING_H
#define PROBES_FUNCTIONS_WAITING_H

#include "probes/functions/stack_walk.h"
#include "probes/functions/thread_state.h"

/* Starts it; false if there can be no such thread. */
bool fn_waiting_start(int64_t period_ns);

/* It looks no more. */
void fn_waiting_stop(void);

/* The calling thread is looked at from now on, and no longer. */
void fn_waiting_join(struct fn_own *own);
void fn_waiting_leave(struct fn_own *own);

/* The samples that the next one of CPU time stands for. */
int64_t fn_waiting_owed(struct fn_own *own);

/* ---- waiting_stack.c ------------------------------------------------------------------------- */

/* All that the kernel tells of a waiting thread. */
struct fn_wait {
    uintptr_t pc, stack;
};

/* bottom: of the stack; 0: unknown. Only one thread may call it. */
void fn_stack_of_waiting(struct fn_stack *stack, const struct fn_wait *wait, uintptr_t bottom);

#endif
