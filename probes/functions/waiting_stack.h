/* SPDX-License-Identifier: MIT */
/* waiting_stack.h - the functions that are open on a thread that waits in the kernel, found from
 * another thread. Nothing interrupts the thread. */
#ifndef PROBES_FUNCTIONS_WAITING_STACK_H
#define PROBES_FUNCTIONS_WAITING_STACK_H

#include "probes/functions/stack_walk.h"

/* All that the kernel tells of a waiting thread. */
struct fn_wait {
    uintptr_t pc, stack;
};

/* bottom: of the stack; 0: unknown. Only one thread may call it. */
void fn_stack_of_waiting(struct fn_stack *stack, const struct fn_wait *wait, uintptr_t bottom);

#endif
