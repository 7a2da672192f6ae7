/* SPDX-License-Identifier: MIT */
/* region_fast.h - the fast way: how a region begins, and whether it can end so. */
#ifndef CORE_LOOP_REGION_FAST_H
#define CORE_LOOP_REGION_FAST_H

#include "core/loop/stack.h"

/* Does everything of a begin except for the clock; the frame is not the innermost one yet. An open
 * action has no fast entry, so beginning it again takes the slow way. */
static inline struct swi_frame *swi_frame_fill(struct swi_thread *thread, struct swi_row **fast,
                                               struct swi_row *row, int action, int plain)
{
    struct swi_frame *frame = thread->frame + 1;
    intptr_t none = 0;
    __asm__("" : "+r"(none)); /* in a register, so that a begin fits into two cache lines */
    frame->row = row;         /* first: swi_frame_begin() */
    atomic_signal_fence(memory_order_release);
    frame->fast = fast;
    frame->action = action;
    frame->plain = plain;
    frame->inside = none;
    *fast = (struct swi_row *)none;
    return frame;
}

/* A signal handler began and ended a region in this frame while it was filled for an action of the
 * table of entries. */
SWI_APART void swi_frame_refill(struct swi_thread *thread, struct swi_row *row, int64_t start);

/* The frame is filled first, so that a signal handler never sees an incomplete innermost region.
 * From then on, regions of a handler have frames of their own. */
static inline void swi_frame_begin(struct swi_thread *thread, struct swi_frame *frame,
                                   struct swi_row *row, int64_t start)
{
    frame->start = start;
    atomic_signal_fence(memory_order_release);
    thread->frame = frame;
    atomic_signal_fence(memory_order_seq_cst);
    if (SWI_UNLIKELY(*(struct swi_row *volatile *)&frame->row != row))
        swi_frame_refill(thread, row, start);
}

/* Returns whether an action is in the table of entries, and there is room for its frame. */
static inline bool swi_can_be_fast(const struct swi_thread *thread, int action)
{
    return SWI_LIKELY((unsigned)action < SWI_ACTIONS && thread->frame < thread->frame_limit);
}

/* Returns the row for which an action can begin the fast way, or NULL. */
static inline struct swi_row *swi_fast_row(const struct swi_thread *thread, int action)
{
    return swi_can_be_fast(thread, action) ? *swi_fast_entry(thread->fast, action) : NULL;
}

/* Fills the frame of an action that has this row in the table of entries. */
static inline struct swi_frame *swi_frame_fill_fast(struct swi_thread *thread, struct swi_row *row,
                                                    int action)
{
    return swi_frame_fill(thread, swi_fast_entry(thread->fast, action), row, action, action);
}

/* Returns whether the innermost region belongs to this action, and the action is measured. */
static inline bool swi_is_plain(const struct swi_thread *thread, int action)
{
    return SWI_LIKELY(thread->frame->plain == action && action >= 0);
}

/* Returns whether it can then end the fast way. */
static inline bool swi_ends_fast(const struct swi_thread *thread, int64_t ticks)
{
    return SWI_LIKELY(SWI_GET(thread->next_ended) + 1 < thread->fold_at &&
                      swi_row_usual(thread->frame->row, ticks));
}

/* Returns whether sw_next() ends the innermost region. */
static inline bool swi_has_sibling(const struct swi_thread *thread)
{
    int sibling = thread->frame->action;
    return sibling >= 0 && !swi_is_special(sibling);
}

#endif
