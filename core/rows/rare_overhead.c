/* SPDX-License-Identifier: MIT */
#include "core/rows/rare_overhead.h"
#include "core/rows/current_profiler.h"

void swi_rare_overhead_begin(struct swi_rare_overhead *work, const struct swi_measured *measured)
{
    swi_floats_keep(&work->floats);
    const struct swi_known *known = swi_known_of(measured);
    work->clock = &measured->clock;
    work->thread = known->serial == atomic_load(&measured->serial) ? known->thread : NULL;
    work->memory.here = NULL;
    if (work->thread && (work->thread->reading || work->thread->probe))
        swi_memory_save(&work->memory);
    if (work->thread)
        swi_cost_rare_work_begin(&work->thread->cost, swi_cost_now(work->clock));
}

void swi_rare_overhead_end(struct swi_rare_overhead *work)
{
    if (work->thread)
        swi_cost_rare_work_end(&work->thread->cost, swi_cost_now(work->clock));
    swi_memory_restore(&work->memory);
    swi_floats_give_back(&work->floats);
}
