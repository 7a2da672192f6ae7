/* SPDX-License-Identifier: MIT */
#include "core/loop/probing.h"

#include <stepwatch/probe.h>

/* Defined by a probe that is linked or preloaded; else NULL. */
#pragma weak sw_probe_regions

void swi_probe_find(struct sw_profiler *sw)
{
    const struct sw_probe *probe = sw_probe_regions ? sw_probe_regions() : NULL;
    if (!probe || probe->size < sizeof *probe)
        return;
    probe->attach(sw_action_name);
    sw->measured.chosen.probe = probe;
}

void swi_probe_set(const struct sw_profiler *sw, struct swi_thread *thread)
{
    if (thread->probe == sw->measured.chosen.probe)
        return;
    thread->probe = sw->measured.chosen.probe;
    swi_thread_phase(thread, thread->phase);
}

/* Whoever ends the run works on the regions of other threads, too. */
static bool is_own(const struct swi_thread *thread)
{
    return thread->owner == &swi_current && thread->owner_id == swi_current.id;
}

static int64_t counted(const struct sw_profiler *sw, int64_t tick)
{
    return sw->measured.clock.counter ? tick : 0;
}

static bool is_again(const struct swi_thread *thread)
{
    for (int i = 1; i < swi_depth(thread); i++)
        if (thread->frame[-i].action == thread->frame->action)
            return true;
    return false;
}

void swi_probe_tell_begin(const struct sw_profiler *sw, const struct swi_thread *thread,
                          int64_t tick)
{
    if (is_own(thread))
        thread->probe->begin(thread->frame->action, is_again(thread), counted(sw, tick));
}

/* Nobody began a fit that was inserted. */
static int innermost(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    int action = thread->frame->action;
    return action == SW_FIT && SWI_GET(sw->measured.progress.fit_inserted) ? -1 : action;
}

void swi_probe_tell_end(const struct sw_profiler *sw, const struct swi_thread *thread, int64_t tick)
{
    if (is_own(thread))
        thread->probe->end(innermost(sw, thread), counted(sw, tick));
}
