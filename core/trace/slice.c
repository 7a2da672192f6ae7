/* SPDX-License-Identifier: MIT */
#include "core/trace/slice.h"
#include "core/clock/clock.h"

#include <stdlib.h>
#include <string.h>

/* Returns where the last time of a thread is stored, or NULL if out of memory. */
static int64_t *last_of(struct swi_regions *regions, int thread)
{
    if (thread >= regions->threads) {
        int threads = 2 * thread + 8;
        int64_t *last = realloc(regions->last_ns, (size_t)threads * sizeof *last);
        if (!last)
            return NULL;
        memset(last + regions->threads, 0, (size_t)(threads - regions->threads) * sizeof *last);
        regions->last_ns = last;
        regions->threads = threads;
    }
    return &regions->last_ns[thread];
}

static int64_t time_of(struct swi_regions *regions, int thread, int64_t ns)
{
    int64_t *last = last_of(regions, thread);
    if (!last)
        return ns;
    return *last = ns > *last ? ns : *last;
}

_Static_assert(offsetof(struct sw_region, shape) + sizeof(char *) == sizeof(struct sw_region),
               "region_fill() fills every field: the items are used again");

/* Fills the fields where they are: a struct that is returned is made elsewhere and copied in blocks
 * of two fields, for which the processor has to wait. */
static void region_fill(struct sw_region *region, struct swi_regions *regions,
                        const struct swi_slice *slice, const struct swi_trace_event *event)
{
    int action = (int)(event->what >> SWI_TRACED_ACTION & 0xffffff);
    int thread = (int)(event->what >> SWI_TRACED_THREAD);
    bool shaped = action >= slice->actions->shaped_first;
    region->time_ns = time_of(regions, thread, swi_clock_ns(slice->clock, event->tick));
    region->event = (enum sw_region_event)(event->what & 15);
    region->phase = (enum sw_phase)(event->what >> SWI_TRACED_PHASE & 15);
    region->action = slice->actions->name(action);
    region->action_id = shaped ? slice->actions->base(action) : action;
    region->thread = thread;
    region->samples = -1;
    region->use_count = region->use_stride = 0;
    region->use = NULL;
    region->shape = shaped ? slice->actions->shape(action) : "";
}

/* Those of one region are one after the other. */
static void use_add(struct sw_region *region, struct sw_counter_use *use,
                    const struct swi_slice *slice, const struct swi_trace_event *event)
{
    int slot = (int)(event->what >> SWI_TRACED_ACTION & 0xffffff);
    *use = (struct sw_counter_use){&slice->counter[slot], event->tick, SW_COUNTER_NONE};
    region->use_stride = sizeof *use;
    if (!region->use_count++)
        region->use = use;
}

size_t swi_regions_make(struct swi_regions *regions, const struct swi_slice *slice)
{
    size_t count = 0, uses = 0;
    bool inside = false;
    for (uint32_t i = slice->from; i < slice->to; i++) {
        const struct swi_trace_event *event = &slice->chunk->event[i];
        bool samples = event->what == SWI_TRACED_SAMPLES, part = swi_traced_is_part(event->what);
        inside = part ? inside : event->tick >= slice->since && event->tick <= slice->until;
        if (samples && inside)
            regions->item[count - 1].samples = event->tick;
        else if (part && inside)
            use_add(&regions->item[count - 1], &regions->use[uses++], slice, event);
        else if (inside)
            region_fill(&regions->item[count++], regions, slice, event);
    }
    return count;
}

void swi_regions_free(struct swi_regions *regions)
{
    if (regions)
        free(regions->last_ns);
    free(regions);
}
