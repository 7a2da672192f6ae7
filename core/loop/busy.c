/* SPDX-License-Identifier: MIT */
#include "core/loop/busy.h"
#include "core/loop/misuse.h"

/* The thread is still busy, because this takes locks. */
static void refused_tell(struct sw_profiler *sw)
{
    struct swi_thread *thread = swi_current.thread;
    int refused = swi_current.refused, action = swi_current.refused_action;
    swi_current.refused = 0;
    if (thread)
        swi_misuses_in_handlers(sw, thread, action, refused);
}

void swi_busy_end(struct sw_profiler *const *sw)
{
    uint64_t serial = atomic_load_explicit(&(*sw)->measured.serial, memory_order_relaxed);
    if (swi_current.busy == 1 && SWI_UNLIKELY(swi_current.refused != 0))
        refused_tell(*sw);
    atomic_signal_fence(memory_order_seq_cst);
    if (--swi_current.busy == 0 && swi_current.serial == serial)
        swi_current_look_again(*sw, swi_current.thread);
}
