/* SPDX-License-Identifier: MIT */
/* Adds up what all threads have measured for one row of the report. */
#include "core/report/row_totals.h"
#include "core/report/row_sources.h"

/* Returns the view of a source. number: set to its row there. */
static struct swi_row_reader *view_of(const struct swi_report_input *making,
                                      const struct swi_source *source, size_t *number)
{
    struct swi_row_reader *view = making->view;
    for (*number = source->index; *number >= view->rows; view++)
        *number -= view->rows;
    return view;
}

/* Gathers calls inside a call of the same row. They count as calls, but their time is already in
 * the outer call, so it is not added to the total, and the outer call has the samples. cProfile
 * counts in the same way. */
static void gather_inner(struct swi_gathered *g, struct swi_row_copy *copy)
{
    g->inner = swi_ticks_sum(g->inner, copy->sum);
    copy->rate_count = 0;
}

static bool bins_gather(struct swi_gathered *g, const struct swi_row_reader_row *part)
{
    const struct swi_row_copy *copy = &part->copy;
    bool durations = !copy->count || swi_bins_add(&g->durations, part->durations,
                                                  part->duration_count, SWI_BIN_OF_ONE);
    bool rates =
        !copy->rate_count || swi_bins_add(&g->rates, part->rates, part->rate_count, SWI_BIN_FIRST);
    return durations && rates;
}

/* Counts calls by what they cost. Leaves out what the loop's thread did before or after its fit,
 * and rows that no call begins. */
static void own_count(struct swi_row_reader *view, const struct swi_row *row, int64_t calls)
{
    bool apart = view->shown == SW_PHASE_BEFORE || view->shown == SW_PHASE_AFTER;
    bool container = row->phase == SW_PHASE_FIT && row->action <= SW_VALID;
    bool out = container || row->action == SW_STEP || view->shown == SW_PHASE_SPANS ||
               (apart && row->phase == SW_PHASE_THREADS);
    view->regions[swi_stratum_of(row->phase)] += out ? 0 : calls;
}

/* Returns the cost of a thread. It may have gone on to the next fit. */
static const struct swi_cost *cost_of(const struct swi_report_input *making,
                                      const struct swi_row_reader *view)
{
    uint64_t began = atomic_load(&view->thread->cost_fits);
    bool over = making->snapshot->complete && began >= making->reports->measured->fit_ending;
    return over ? &view->thread->cost_before : &view->thread->cost;
}

void swi_row_totals_own_ticks(struct swi_report_input *making)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct swi_row_reader *view = &making->view[i];
        bool any = view->thread == making->snapshot->loop;
        for (int k = 0; k < SWI_STRATA; k++)
            any = any || view->regions[k];
        if (any)
            making->own_ticks += swi_cost_ticks(cost_of(making, view), view->regions);
    }
}

static void first_use_gather(struct swi_gathered *g, const struct swi_row *row)
{
    g->first_use = row->made < g->first_use ? row->made : g->first_use;
}

/* Sums from 2^63 on are shown as INT64_MAX. */
static struct swi_use use_shown(const struct swi_counters *counters, const struct swi_use *use,
                                int slot)
{
    struct swi_use shown = *use;
    if (swi_counters_may_fall(counters, slot))
        return shown;
    shown.total = use->total < 0 ? INT64_MAX : use->total;
    shown.self = use->self < 0 ? INT64_MAX : use->self;
    return shown;
}

/* Like durations: of calls inside a call of the same row, the total lies in that of the outer call.
 */
static void uses_gather(struct swi_report_input *making, const struct swi_use *use, size_t uses,
                        bool inner)
{
    const struct swi_counters *counters = &making->reports->measured->counters;
    struct swi_gathered *g = &making->row;
    for (size_t i = 0; i < uses && i < SWI_SLOTS; i++) {
        struct swi_use more = use_shown(counters, &use[i], (int)i);
        more.total = inner ? 0 : more.total;
        swi_use_add(&g->use[i], &more, swi_counters_kind(counters, (int)i));
    }
    g->uses = uses > g->uses ? uses : g->uses;
}

static void gather_part(struct swi_report_input *making, const struct swi_source *source)
{
    size_t number;
    struct swi_row_reader *view = view_of(making, source, &number);
    struct swi_gathered *g = &making->row;
    struct swi_row_copy *copy = &making->part.copy;
    if (!swi_row_reader_get(view, number, &making->part)) {
        making->failed = true;
        return;
    }
    if (!copy->count && !copy->rate_count)
        return;
    if (!making->by_shape)
        own_count(view, view->row[number], copy->count);
    first_use_gather(g, view->row[number]);
    uses_gather(making, making->part.use, making->part.uses, view->row[number]->is_inner);
    if (view->row[number]->is_inner)
        gather_inner(g, copy);
    swi_row_copy_add(&g->copy, copy);
    making->failed = !bins_gather(g, &making->part) || making->failed;
}

bool swi_row_totals(struct swi_report_input *making, const struct swi_source *source, size_t count)
{
    struct swi_gathered *g = &making->row;
    bool standard = false;
    *g = (struct swi_gathered){
        .phase = swi_source_phase(source->order),
        .action = swi_source_action(making->reports->measured->chosen.mode, source->order),
        .shaped = source->shaped,
        .first_use = INT64_MAX,
        .durations = g->durations,
        .rates = g->rates};
    g->durations.count = g->rates.count = 0;
    for (size_t i = 0; i < count; i++) {
        standard = standard || source[i].index == SWI_NOBODYS;
        if (source[i].index != SWI_NOBODYS)
            gather_part(making, &source[i]);
    }
    return standard || g->copy.count || g->copy.rate_count;
}
