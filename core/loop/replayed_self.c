/* SPDX-License-Identifier: MIT */
/* The self time of a replayed region: a log of steps does not say which region was in which. */
#include "core/loop/calling_thread.h"
#include "core/loop/stack.h"
#include "core/process/own_floats.h"

void sw_set_self(struct sw_profiler *sw, int64_t self_ns)
{
    SWI_OWN_FLOATS;
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    if (!thread)
        return;
    SWI_FOLDED(&sw->measured);
    if (!swi_depth(thread))
        return;
    double all = (double)(swi_clock_tick(&sw->measured.clock) - thread->frame->start);
    double self = (double)self_ns / swi_clock_rate(&sw->measured.clock);
    if (self >= 0 && self <= all)
        thread->frame->inside = (int64_t)(all - self + 0.5);
}
