/* SPDX-License-Identifier: MIT */
/* stack_walk.h - the functions that are open on a thread which a signal has interrupted. */
#ifndef PROBES_FUNCTIONS_STACK_WALK_H
#define PROBES_FUNCTIONS_STACK_WALK_H

#include <stdbool.h>
#include <stdint.h>

enum { FN_FRAMES = 128 };

struct fn_stack {
    int count;
    bool deeper;             /* there are more callers */
    uintptr_t pc[FN_FRAMES]; /* the innermost first; the others are return addresses */
};

/* Not in a signal handler: loads what unwinding needs. */
void fn_stack_prepare(void);

/* In a signal handler. context: its third argument. The frames of the program are from `low` to
 * `bottom`; 0 if unknown. */
void fn_stack_take(struct fn_stack *stack, const void *context, uintptr_t low, uintptr_t bottom);

/* Adds a function. Returns false if the stack is full. */
bool fn_stack_add(struct fn_stack *stack, uintptr_t pc);

/* Returns whether the functions that begin a thread are called from here. */
bool fn_stack_is_end(uintptr_t pc);

/* The program's main(), and the functions that its threads begin with, are called by functions in
 * this section: there a stack ends. */
#define FN_STACK_END __attribute__((section("sw_fn_begin"), noinline))

#endif
