/* SPDX-License-Identifier: MIT */
/* signal_stack.h - a stack for the handler of samples. The stack of a thread or of a coroutine may
 * be as small as its own code allows: the kernel's frame alone takes 3 KiB with AVX-512 and 11 KiB
 * with AMX. */
#ifndef PROBES_FUNCTIONS_SIGNAL_STACK_H
#define PROBES_FUNCTIONS_SIGNAL_STACK_H

#include "probes/functions/thread_state.h"

/* Gives the calling thread an alternate signal stack, unless it has one. The memory stays with the
 * tree, for the next thread that has it. */
void fn_signal_stack_set(struct fn_own *own);

/* Takes it back, at the end of the thread. */
void fn_signal_stack_unset(const struct fn_own *own);

#endif
