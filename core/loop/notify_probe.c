/* SPDX-License-Identifier: MIT */
#include "core/loop/near_stack.h"

#include <stepwatch/probe.h>

/* Defined by a probe that is linked or preloaded; else NULL. */
#pragma weak sw_probe_regions
#pragma weak sw_probe_choose

/* If no probe is loaded, the sink reports it (sinks/functions/). */
void swi_probe_choose(struct sw_profiler *sw, const char *times, int rate)
{
    struct sw_probe_choice choice = {sizeof choice, times, rate};
    const char *why = sw_probe_choose ? sw_probe_choose(&choice) : NULL;
    if (why)
        swi_say(&sw->records.messages, SW_WARNING, "functions: %s", why);
}

/* The first version had no look(). */
#define PROBE_LEAST offsetof(struct sw_probe, look)

void swi_probe_find(struct sw_profiler *sw)
{
    const struct sw_probe *probe = sw_probe_regions ? sw_probe_regions() : NULL;
    if (!probe || probe->size < PROBE_LEAST)
        return;
    probe->attach(sw_action_name);
    if (probe->begin && probe->end)
        sw->measured.chosen.probe = probe;
    if (probe->size < sizeof *probe || !probe->look)
        return;
    swi_innermost_know(sw);
    probe->look(swi_innermost);
}

void swi_probe_set(const struct sw_profiler *sw, struct swi_thread *thread)
{
    thread->probe = sw->measured.chosen.probe;
}

static int64_t counted(const struct sw_profiler *sw, int64_t tick)
{
    return sw->measured.clock.counter ? tick : 0;
}

static bool is_again(const struct swi_thread *thread)
{
    for (const uint16_t *at = thread->top - 1; at > thread->near; at--)
        if (*at == *thread->top)
            return true;
    return false;
}

void swi_probe_tell_begin(const struct sw_profiler *sw, const struct swi_thread *thread,
                          int64_t tick)
{
    thread->probe->begin(swi_near_innermost(thread), is_again(thread), counted(sw, tick));
}

void swi_probe_tell_end(const struct sw_profiler *sw, const struct swi_thread *thread, int64_t tick)
{
    thread->probe->end(swi_near_innermost(thread), counted(sw, tick));
}
