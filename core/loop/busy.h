/* SPDX-License-Identifier: MIT */
/* busy.h - calls in a signal handler that interrupted a slow call of the same thread.
 *
 * A slow call changes lists, takes locks and allocates, so a region that begins or ends in the
 * middle of it is refused and counted. The fast way does none of that and needs no mark. */
#ifndef CORE_LOOP_BUSY_H
#define CORE_LOOP_BUSY_H

#include "core/loop/recent_profilers.h"

/* Until the end of the block, the calling thread is busy. */
#define SWI_BUSY(sw)                                                                               \
    __attribute__((cleanup(swi_busy_end), unused)) struct sw_profiler *swi_busy_ = (sw);           \
    swi_busy_begin()

static inline void swi_busy_begin(void)
{
    swi_current.busy++;
    swi_current.counted = 0; /* calls of the fast way look closer */
    atomic_signal_fence(memory_order_seq_cst);
}

/* Counts the calls that were refused meanwhile. Apart, so that the end of a step stays short. */
void swi_busy_end(struct sw_profiler *const *sw);

/* Returns whether a call must be refused. A function for messages may call what it likes. */
static inline bool swi_busy_refuses(int action)
{
    if (SWI_LIKELY(!swi_current.busy) || swi_message_is_sent())
        return false;
    swi_current.refused++;
    swi_current.refused_action = action;
    return true;
}

#endif
