/* SPDX-License-Identifier: MIT */
/* near_stack.h - which actions are open on a thread, as far as it can know before its events are
 * folded: probes, samplers and the calls of frameworks ask for it. Only the thread itself, and
 * signal handlers on it, call these. */
#ifndef CORE_LOOP_NEAR_STACK_H
#define CORE_LOOP_NEAR_STACK_H

#include "core/loop/action_kinds.h"
#include "core/loop/state.h"

/* Returns whether an action is neither a container, nor step or batch, nor unknown. */
static SWI_INLINE bool swi_is_usual(unsigned action)
{
    return SWI_LIKELY(action - (SW_BATCH + 1) < SWI_ACTIONS - (SW_BATCH + 1)) || action == SW_DRAW;
}

static SWI_INLINE bool swi_near_is_full(const struct swi_thread *thread)
{
    return SWI_UNLIKELY(thread->top == thread->near + SWI_DEPTH_MAX);
}

/* Written before, so that what interrupts the thread never finds an old one; and after, in case the
 * place was used meanwhile. */
static SWI_INLINE void swi_near_push(struct swi_thread *thread, int action)
{
    uint16_t *top = thread->top + 1;
    *(volatile uint16_t *)top = (uint16_t)action;
    atomic_signal_fence(memory_order_release);
    thread->top = top;
    atomic_signal_fence(memory_order_release);
    *(volatile uint16_t *)top = (uint16_t)action;
}

/* Remember that an action begins, or that the innermost one of it ends, with what is open in it. */
void swi_near_begin(struct swi_thread *thread, int action);
void swi_near_end(struct swi_thread *thread, int action);
void swi_near_clear(struct swi_thread *thread);
/* What is open inside the innermost one of an action is forgotten. */
void swi_near_inside(struct swi_thread *thread, int action);

/* Returns whether an action is open on the thread, as far as it knows. */
bool swi_near_is_open(const struct swi_thread *thread, int action);

/* The phase in which the thread is, as far as it knows. */
enum sw_phase swi_near_phase(const struct swi_thread *thread);

#endif
