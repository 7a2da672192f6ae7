/* SPDX-License-Identifier: MIT */
#include "core/watchdog/open_regions.h"

static void add(struct swi_open_regions *open, struct swi_measured *measured,
                const struct swi_thread *thread)
{
    int64_t since_ns = swi_clock_ns(&measured->clock, thread->frame->start);
    size_t at = open->count;
    while (at > 0 && open->region[at - 1].since_ns > since_ns)
        at--;
    if (at == SWI_OPEN_MAX)
        return;
    open->count += open->count < SWI_OPEN_MAX;
    for (size_t i = open->count - 1; i > at; i--) {
        open->region[i] = open->region[i - 1];
        open->of_loop[i] = open->of_loop[i - 1];
    }
    open->region[at] = (struct sw_open_region){.thread = thread->number,
                                               .action = sw_action_name(thread->frame->action),
                                               .since_ns = since_ns};
    open->of_loop[at] = thread == atomic_load(&measured->loop);
}

void swi_open_regions_find(struct swi_open_regions *open, struct swi_measured *measured)
{
    SWI_FOLDED(measured);
    open->count = 0;
    for (const struct swi_thread *thread = measured->threads; thread; thread = thread->list)
        if (swi_depth(thread) > 0)
            add(open, measured, thread);
}
