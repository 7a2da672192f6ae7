/* SPDX-License-Identifier: MIT */
/* Makes reports from the rows of threads, while these go on measuring. */
#include "core/report/report.h"
#include "core/counters/counted_memory.h"
#include "core/counters/hardware.h"
#include "core/report/columns.h"
#include "core/report/counter_columns.h"
#include "core/report/fit_findings.h"
#include "core/report/view.h"
#include "core/rows/shaped.h"
#include "core/trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of the report while it is made: the same phase and action on all threads. */
struct gathered {
    enum sw_phase phase;
    int action;
    int shaped; /* as in struct source */
    struct swi_row_copy copy;
    int64_t inner; /* ticks of calls inside a call of the same row */
    int64_t first_use;
    struct swi_bins durations;
    struct swi_bins rates;
    size_t uses; /* of counters */
    struct swi_use use[SWI_SLOTS];
};

/* A row of a thread, and its place in the report. */
struct source {
    uint32_t order; /* phase, and place in it */
    int shaped;     /* handle of an action with a shape; 0: none, or shapes are merged */
    uint32_t index; /* of all rows of all views; NOBODYS: the row is there in any case */
};
#define NOBODYS UINT32_MAX

/* The state of making a report. Rows are made one by one, so that 10,000 actions need little
 * memory. */
struct making {
    const struct swi_reports *reports;
    const struct swi_moment *moment;
    size_t count;
    struct swi_view *view;
    size_t sources;
    struct source *source;
    struct gathered row;
    struct swi_view_row part;
    double inside, between; /* between: ticks of containers less what is inside them */
    bool by_shape; /* the rows are made a second time, one for each shape, so the sums are known */
    double own_ticks;                    /* cost of stepwatch's calls */
    int64_t unbinned;                    /* values in no histogram, for lack of memory */
    int64_t missed;                      /* uses of counters that are not known */
    struct swi_counter_columns *columns; /* of the report */
    bool failed;                         /* out of memory: an incomplete report is not returned */
};

/* ---- what is read -------------------------------------------------------------------------------
 */

/* Returns whether a row belongs to the report. Another fit may begin while the rows after the last
 * fit are read; its rows do not belong to it. */
static bool is_meant(const struct swi_view *view, const struct swi_row *row)
{
    return view->shown != SW_PHASE_AFTER || row->phase == SW_PHASE_THREADS;
}

/* Returns the phase that a row is shown in. What the loop's thread did before or after its fit is
 * not shown among other threads. */
static enum sw_phase phase_shown(const struct swi_view *view, const struct swi_row *row)
{
    if (row->phase != SW_PHASE_THREADS)
        return row->phase;
    if (view->shown == SW_PHASE_FIT && row->action == SW_DRAW)
        return SW_PHASE_TRAIN;
    return view->shown;
}

/* Returns whether a thread has not looked since the last fit. It still has the rows that are in the
 * report of that fit. */
static bool is_stale(const struct swi_measured *measured, const struct swi_thread *thread)
{
    return thread->fits != measured->fits;
}

/* The threads of a report. They exist until sw_close(), so their rows are read without the lock,
 * and no thread that begins to measure or pauses has to wait for a report. For the report of a
 * moment, the rows show which of them belong to it. */
struct readable {
    size_t count;
    struct swi_thread **item; /* NULL if out of memory */
};

static struct readable threads_readable(struct swi_measured *measured,
                                        const struct swi_moment *moment)
{
    pthread_mutex_lock(&measured->lock);
    struct readable threads = {
        .item = calloc((size_t)measured->thread_count + 2, sizeof(*threads.item))};
    for (struct swi_thread *thread = measured->threads; thread && threads.item;
         thread = thread->next)
        if (moment->number != SWI_NOW || !is_stale(measured, thread))
            threads.item[threads.count++] = thread;
    pthread_mutex_unlock(&measured->lock);
    return threads;
}

static void trace_cut(struct swi_thread *thread, uint64_t seen)
{
    swi_trace_cut(atomic_load(&thread->trace), seen);
}

/* Cuts the traces of stale threads, which the report before has seen completely. */
static void stale_cut(struct swi_measured *measured)
{
    pthread_mutex_lock(&measured->lock);
    for (struct swi_thread *thread = measured->threads; thread; thread = thread->next)
        if (is_stale(measured, thread))
            trace_cut(thread, swi_trace_published(atomic_load(&thread->trace)));
    pthread_mutex_unlock(&measured->lock);
}

/* Cuts the traces where the report has read them: these regions come before the report. */
static void traces_cut(struct making *making)
{
    if (making->moment->number == SWI_NOW)
        stale_cut(making->reports->measured);
    for (size_t i = 0; i < making->count; i++)
        trace_cut(making->view[i].thread, making->view[i].traced);
}

static void views_fini(struct making *making)
{
    for (size_t i = 0; i < making->count; i++)
        swi_view_fini(&making->view[i]);
    free(making->view);
    making->view = NULL;
    making->count = 0;
}

static void view_add(struct making *making, struct swi_thread *thread, enum sw_phase shown,
                     bool large)
{
    struct swi_view *view = &making->view[making->count++];
    making->failed = !swi_view_init(view, thread, making->moment, large) || making->failed;
    view->shown = shown;
    making->unbinned += SWI_GET(thread->reserve.lost);
}

static void views_make(struct making *making, bool large)
{
    const struct swi_moment *moment = making->moment;
    struct readable threads = threads_readable(making->reports->measured, moment);
    making->view = calloc(threads.count + 1, sizeof *making->view);
    making->failed = !threads.item || !making->view;
    for (size_t i = 0; !making->failed && i < threads.count; i++) {
        enum sw_phase shown =
            threads.item[i]->number == SWI_SPANS_THREAD ? SW_PHASE_SPANS : SW_PHASE_THREADS;
        bool loop = threads.item[i] == moment->loop;
        view_add(making, threads.item[i], loop ? moment->threads_are : shown, large);
    }
    free(threads.item);
}

static bool views_hold(const struct making *making)
{
    for (size_t i = 0; i < making->count; i++)
        if (!swi_view_holds(&making->view[i]))
            return false;
    return true;
}

static void flaw_tell(const struct swi_reports *reports, enum swi_flaw flaw, int number)
{
    reports->flawed(reports->arg, flaw, number);
}

static void torn_say(const struct making *making)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct swi_thread *thread = making->view[i].thread;
        if (making->view[i].torn)
            flaw_tell(making->reports, SWI_FLAW_TORN, thread->loop ? 0 : thread->number);
    }
}

/* ---- the order of the rows ----------------------------------------------------------------------
 */

static const int order_fit[] = {SW_FIT, SW_EPOCH, SW_TRAIN, SW_VALID, -1};
static const int order_throughput[] = {SW_STEP, SW_DRAW, SW_BATCH, -1};
static const int order_train[] = {SW_STEP,     SW_DRAW,     SW_BATCH,     SW_FORWARD, SW_LOSS,
                                  SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD, -1};
static const int order_valid[] = {SW_STEP, SW_DRAW, SW_BATCH, SW_PREDICT, SW_LOSS, -1};
static const int order_none[] = {-1};

static const int *order_of(enum sw_mode mode, enum sw_phase phase)
{
    if (phase == SW_PHASE_FIT)
        return order_fit;
    if (phase >= SW_PHASE_THREADS)
        return order_none;
    if (mode == SW_MODE_THROUGHPUT)
        return order_throughput;
    return phase == SW_PHASE_TRAIN ? order_train : order_valid;
}

enum { PLACE_BITS = 16 };

static uint32_t order_make(enum sw_mode mode, enum sw_phase phase, int action)
{
    const int *order = order_of(mode, phase);
    int place = SW_BUILTIN_ACTIONS + action;
    for (int i = 0; order[i] >= 0; i++)
        if (order[i] == action)
            place = i;
    return (uint32_t)phase << PLACE_BITS | (uint32_t)place;
}

static enum sw_phase phase_at(uint32_t order)
{
    return (enum sw_phase)(order >> PLACE_BITS);
}

static int action_at(enum sw_mode mode, uint32_t order)
{
    int place = (int)(order & ((1U << PLACE_BITS) - 1));
    return place < SW_BUILTIN_ACTIONS ? order_of(mode, phase_at(order))[place]
                                      : place - SW_BUILTIN_ACTIONS;
}

static int by_order(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->shaped != y->shaped)
        return x->shaped < y->shaped ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Adds every standard row, even those without calls. */
static void standard_rows_add(struct making *making)
{
    enum sw_mode mode = making->reports->measured->chosen.mode;
    for (int phase = SW_PHASE_FIT; phase <= SW_PHASE_THREADS; phase++)
        for (const int *action = order_of(mode, (enum sw_phase)phase); *action >= 0; action++)
            making->source[making->sources++] =
                (struct source){order_make(mode, (enum sw_phase)phase, *action), 0, NOBODYS};
}

static void view_rows_add(struct making *making, const struct swi_view *view, size_t base)
{
    for (size_t i = 0; i < view->rows; i++) {
        const struct swi_row *row = view->row[i];
        if (!is_meant(view, row) || !swi_view_has(view, i))
            continue;
        int action = swi_action_base(row->action);
        uint32_t order =
            order_make(making->reports->measured->chosen.mode, phase_shown(view, row), action);
        int shaped = making->by_shape && action != row->action ? row->action : 0;
        making->source[making->sources++] = (struct source){order, shaped, (uint32_t)(base + i)};
    }
}

static void sources_make(struct making *making, bool standard)
{
    enum { STANDARD = 32 };
    size_t rows = 0, base = 0;
    for (size_t i = 0; i < making->count; i++)
        rows += making->view[i].rows;
    making->source = malloc((rows + STANDARD) * sizeof *making->source);
    making->failed = making->failed || !making->source;
    if (making->failed)
        return;
    if (standard)
        standard_rows_add(making);
    for (size_t i = 0; i < making->count; base += making->view[i++].rows)
        view_rows_add(making, &making->view[i], base);
    qsort(making->source, making->sources, sizeof *making->source, by_order);
}

/* Returns how many sources from number i on belong to the same row of the report. */
static size_t sources_of_row(const struct making *making, size_t i)
{
    size_t end = i + 1;
    while (end < making->sources && making->source[end].order == making->source[i].order &&
           making->source[end].shaped == making->source[i].shaped)
        end++;
    return end - i;
}

static size_t report_rows(const struct making *making)
{
    size_t rows = 0;
    for (size_t i = 0; i < making->sources; i += sources_of_row(making, i))
        rows++;
    return rows;
}

/* ---- one row ------------------------------------------------------------------------------------
 */

/* Returns the view of a source. number: set to its row there. */
static struct swi_view *view_of(const struct making *making, const struct source *source,
                                size_t *number)
{
    struct swi_view *view = making->view;
    for (*number = source->index; *number >= view->rows; view++)
        *number -= view->rows;
    return view;
}

/* Gathers calls inside a call of the same row. They count as calls, but their time is already in
 * the outer call, so it is not added to the total, and the outer call has the samples. cProfile
 * counts in the same way. */
static void gather_inner(struct gathered *g, struct swi_row_copy *copy)
{
    g->inner += copy->sum;
    copy->rate_count = 0;
}

static bool bins_gather(struct gathered *g, const struct swi_view_row *part)
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
static void own_count(struct swi_view *view, const struct swi_row *row, int64_t calls)
{
    bool apart = view->shown == SW_PHASE_BEFORE || view->shown == SW_PHASE_AFTER;
    bool container = row->phase == SW_PHASE_FIT && row->action <= SW_VALID;
    bool out = container || row->action == SW_STEP || view->shown == SW_PHASE_SPANS ||
               (apart && row->phase == SW_PHASE_THREADS);
    view->regions[swi_stratum_of(row->phase)] += out ? 0 : calls;
}

/* Returns the cost of a thread. For the loop's thread it is known at the moment, for others only at
 * the end of a fit. */
static const struct swi_cost *cost_of(const struct making *making, const struct swi_view *view)
{
    const struct swi_moment *moment = making->moment;
    const struct swi_thread *thread = view->thread;
    if (moment->number != SWI_NOW && thread == moment->loop)
        return &moment->cost;
    bool over = moment->complete && SWI_GET(thread->since) >= moment->number;
    return over ? &thread->cost_before : &thread->cost;
}

/* Sums up the cost. A thread that is not in the report may have the cost of another fit. */
static void own_sum(struct making *making)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct swi_view *view = &making->view[i];
        bool any = view->thread == making->moment->loop;
        for (int k = 0; k < SWI_STRATA; k++)
            any = any || view->regions[k];
        if (any)
            making->own_ticks += swi_cost_ticks(cost_of(making, view), view->regions);
    }
}

static void first_use_gather(struct gathered *g, const struct swi_row *row)
{
    g->first_use = row->made < g->first_use ? row->made : g->first_use;
}

static void uses_gather(struct making *making, const struct swi_use *use, size_t uses)
{
    const struct swi_counters *counters = &making->reports->measured->counters;
    struct gathered *g = &making->row;
    for (size_t i = 0; i < uses && i < SWI_SLOTS; i++)
        swi_use_add(&g->use[i], &use[i], swi_counters_kind(counters, (int)i));
    g->uses = uses > g->uses ? uses : g->uses;
}

static void gather_part(struct making *making, const struct source *source)
{
    size_t number;
    struct swi_view *view = view_of(making, source, &number);
    struct gathered *g = &making->row;
    struct swi_row_copy *copy = &making->part.copy;
    if (!swi_view_get(view, number, &making->part)) {
        making->failed = true;
        return;
    }
    if (!copy->count && !copy->rate_count)
        return;
    if (!making->by_shape)
        own_count(view, view->row[number], copy->count);
    first_use_gather(g, view->row[number]);
    uses_gather(making, making->part.use, making->part.uses);
    if (view->row[number]->is_inner)
        gather_inner(g, copy);
    if (copy->rate_count && !g->copy.rate_count && !g->copy.count)
        g->copy = *copy;
    else
        swi_row_copy_add(&g->copy, copy);
    making->failed = !bins_gather(g, &making->part) || making->failed;
}

static void gather_call(struct making *making, const struct swi_snapshot_ended *ended)
{
    struct gathered *g = &making->row;
    if (ended->self != SWI_COUNTED)
        swi_row_copy_call(&g->copy, ended->ticks, ended->self);
    if (ended->self != SWI_COUNTED && ended->row->is_inner)
        g->inner += ended->ticks;
    first_use_gather(g, ended->row);
    making->failed =
        !swi_bins_add_one(&g->durations, (double)ended->ticks, SWI_BIN_OF_ONE) || making->failed;
}

static void gather_calls(struct making *making, const struct source *source)
{
    size_t number, count;
    struct swi_view *view = view_of(making, source, &number);
    const struct swi_snapshot_ended *ended = swi_view_ended(view, number, &count);
    for (size_t i = 0; i < count; i++) {
        gather_call(making, &ended[i]);
        uses_gather(making, view->snapshot.use + ended[i].uses_at, ended[i].uses);
        if (!making->by_shape)
            own_count(view, ended[i].row, ended[i].self != SWI_COUNTED);
    }
}

/* Returns false if the row is empty and may be left out. */
static bool gather_row(struct making *making, const struct source *source, size_t count)
{
    struct gathered *g = &making->row;
    bool standard = false;
    *g = (struct gathered){.phase = phase_at(source->order),
                           .action =
                               action_at(making->reports->measured->chosen.mode, source->order),
                           .shaped = source->shaped,
                           .first_use = INT64_MAX,
                           .durations = g->durations,
                           .rates = g->rates};
    g->durations.count = g->rates.count = 0;
    for (size_t i = 0; i < count; i++) {
        standard = standard || source[i].index == NOBODYS;
        if (source[i].index != NOBODYS)
            gather_part(making, &source[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (source[i].index != NOBODYS)
            gather_calls(making, &source[i]);
    return standard || g->copy.count || g->copy.rate_count;
}

/* ---- from gathered rows to the report ----------------------------------------------------------
 */

/* Allocates the bins of a distribution, followed by its first values. Returns false if out of
 * memory. */
static bool distribution_alloc(struct sw_distribution *d, size_t bins, size_t values)
{
    char *memory = malloc(bins * sizeof *d->bin + values * sizeof *d->value);
    if (!memory)
        return false;
    d->bin = (const struct sw_bin *)memory;
    d->bin_count = bins;
    d->bin_stride = sizeof *d->bin;
    d->value = (const void *)(memory + bins * sizeof *d->bin);
    d->kept = values;
    return true;
}

/* Fills in the bins that are not empty, in ascending order. For negative values, reverses both sign
 * and order. */
static void bins_fill(const struct sw_distribution *d, const struct swi_bins *bins,
                      double (*edge)(uint64_t), double scale)
{
    struct sw_bin *list = (struct sw_bin *)d->bin;
    for (size_t i = 0; i < bins->count; i++) {
        const struct swi_bin_count *at = &bins->item[scale < 0 ? bins->count - 1 - i : i];
        double a = edge(at->bin) * scale, b = edge(at->bin + 1) * scale;
        list[i] = (struct sw_bin){.low = a < b ? a : b, .high = a < b ? b : a, at->count};
    }
}

static size_t kept(int64_t count)
{
    return count < SW_DISTRIBUTION_KEPT ? (size_t)count : SW_DISTRIBUTION_KEPT;
}

/* Return false if out of memory. */
static bool durations_make(struct sw_distribution *d, const struct gathered *g, double scale)
{
    const struct swi_row_copy *c = &g->copy;
    if (!c->count)
        return true;
    *d = (struct sw_distribution){.count = c->count,
                                  .mean = (double)c->sum * scale / (double)c->count,
                                  .variance = swi_row_copy_variance(c) * scale * scale,
                                  .min = (double)c->min * scale,
                                  .max = (double)c->max * scale};
    if (!distribution_alloc(d, g->durations.count, kept(c->count)))
        return false;
    for (size_t i = 0; i < d->kept; i++)
        ((double *)d->value)[i] = (double)c->first[i] * scale;
    bins_fill(d, &g->durations, swi_duration_edge, scale);
    return true;
}

static bool rates_make(struct sw_distribution *d, const struct gathered *g, double scale)
{
    const struct swi_row_copy *c = &g->copy;
    if (!c->rate_count)
        return true;
    double n = (double)c->rate_count, shift = c->rate_sum / n;
    double variance = c->rate_squares / n - shift * shift;
    *d = (struct sw_distribution){.count = c->rate_count,
                                  .mean = (c->rate_origin + shift) * scale,
                                  .variance = variance > 0 ? variance * scale * scale : 0,
                                  .min = c->rate_min * scale,
                                  .max = c->rate_max * scale};
    if (!distribution_alloc(d, g->rates.count, kept(c->rate_count)))
        return false;
    for (size_t i = 0; i < d->kept; i++)
        ((double *)d->value)[i] = c->rate_first[i] * scale;
    bins_fill(d, &g->rates, swi_bin_edge, c->rate_min < 0 ? -scale : scale);
    return true;
}

static const char *const phase_name[] = {"fit",    "train", "valid", "threads",
                                         "before", "after", "spans"};

static void row_quantiles(struct sw_report_row *row)
{
    bool any = row->durations.count > 0;
    row->p50_ns = any ? sw_quantile(&row->durations, 0.50) : 0;
    row->p95_ns = any ? sw_quantile(&row->durations, 0.95) : 0;
    row->p99_ns = any ? sw_quantile(&row->durations, 0.99) : 0;
}

/* Returns false if out of memory. */
static bool row_make(struct sw_report_row *row, const struct gathered *g, double ns_per_tick,
                     double fit_ns)
{
    *row = (struct sw_report_row){.phase_id = g->phase,
                                  .action_id = g->action,
                                  .phase = phase_name[g->phase],
                                  .action = sw_action_name(g->action),
                                  .calls = g->copy.count,
                                  .first_use = g->first_use,
                                  .shape = sw_action_shape(g->shaped)};
    bool fine = durations_make(&row->durations, g, ns_per_tick);
    fine = rates_make(&row->rates, g, 1e9 / ns_per_tick) && fine;
    row->total_ns = (double)(g->copy.sum - g->inner) * ns_per_tick;
    bool self = g->action != SW_STEP && g->phase != SW_PHASE_SPANS;
    row->self_ns = self ? (double)g->copy.self * ns_per_tick : NAN;
    row->mean_ns = row->durations.mean;
    row->std_ns = sqrt(row->durations.variance);
    row->share = fit_ns > 0 ? row->total_ns / fit_ns : 0;
    if (g->phase > SW_PHASE_THREADS)
        row->share = NAN;
    row->samples_per_s = row->calls && row->rates.count ? row->rates.mean : NAN;
    row->overall_samples_per_s = NAN;
    row_quantiles(row);
    return fine;
}

/* Makes the row fit/fit. It represents the whole fit, even while that runs, so it has no mean. */
static bool fit_row_make(struct sw_report_row *row, double fit_ns)
{
    struct sw_distribution *d = &row->durations;
    row->calls = 1;
    row->total_ns = fit_ns;
    row->share = fit_ns > 0 ? 1 : 0;
    row->mean_ns = row->std_ns = 0;
    row->p50_ns = row->p95_ns = row->p99_ns = fit_ns;
    if (d->count == 0) {
        *d = (struct sw_distribution){.count = 1, .mean = fit_ns};
        if (!distribution_alloc(d, 0, 1))
            return false;
        *(double *)d->value = fit_ns;
    }
    d->min = d->max = fit_ns;
    return true;
}

static bool is_container_row(const struct gathered *g)
{
    return g->phase == SW_PHASE_FIT && g->action <= SW_VALID;
}

static void account_row(struct making *making)
{
    const struct gathered *g = &making->row;
    if (g->action == SW_STEP)
        return;
    if (g->phase < SW_PHASE_THREADS)
        *(is_container_row(g) ? &making->between : &making->inside) += (double)g->copy.self;
}

/* 0 if nobody knows. */
static double energy_of(const struct making *making)
{
    const struct swi_reports *reports = making->reports;
    const struct swi_moment *moment = making->moment;
    int64_t began = moment->now - (int64_t)moment->fit_ticks;
    return reports->energy
               ? reports->energy(reports->energy_arg, began, moment->now, moment->complete)
               : 0;
}

static void accounting_make(struct sw_report *report, const struct making *making)
{
    const struct swi_moment *moment = making->moment;
    struct sw_accounting *a = &report->accounting;
    double between = making->between + (double)moment->discarded_ticks;
    a->accounted_ns = (making->inside + (double)moment->dropped_ticks) * moment->ns_per_tick;
    a->other_ns = report->fit_ns - a->accounted_ns;
    a->residue_ns = report->complete ? a->other_ns - between * moment->ns_per_tick : 0;
    a->steps = moment->elapsed.steps;
    a->own_ns =
        making->own_ticks * (making->reports->measured->clock.counter ? moment->ns_per_tick : 1);
    a->own_ns_per_step = a->steps ? a->own_ns / (double)a->steps : 0;
    a->joules = energy_of(making);
    a->misuses = moment->misuses;
    a->discarded = moment->discarded;
}

static void overall_make(struct sw_overall *overall, const struct swi_moment *moment, int phase)
{
    double ticks = (double)swi_elapsed_ticks(&moment->elapsed, phase, moment->now);
    overall->samples = moment->elapsed.samples[phase];
    overall->elapsed_ns = ticks * moment->ns_per_tick;
    bool known = overall->samples > 0 && ticks > 0;
    overall->samples_per_s = known ? (double)overall->samples * 1e9 / overall->elapsed_ns : NAN;
}

/* Sets the rates of the rows that represent all steps of a phase. */
static void overall_copy(struct sw_report_row *row, const struct sw_report *report)
{
    bool step = row->action_id == SW_STEP;
    if (row->calls == 0)
        return;
    if (row->action_id == SW_TRAIN || (step && row->phase_id == SW_PHASE_TRAIN))
        row->overall_samples_per_s = report->overall_train.samples_per_s;
    if (row->action_id == SW_VALID || (step && row->phase_id == SW_PHASE_VALID))
        row->overall_samples_per_s = report->overall_valid.samples_per_s;
}

/* A report with a reference count. Reports never change, so that of a finished fit is shared. */
struct shared {
    struct sw_report report;
    atomic_int references;
    struct swi_counter_columns columns;
    struct swi_findings *findings; /* whose finding[] the report has; may be NULL */
};

static struct swi_counter_columns *columns_of(const struct sw_report *report)
{
    return &((struct shared *)report)->columns;
}

/* Returns row i of the rows of a report, or of those by shape. */
static struct sw_report_row *row_of(const struct sw_report *report,
                                    const struct sw_report_row *rows, size_t i)
{
    return (struct sw_report_row *)sw_element_(rows, report->row_size, i);
}

static struct sw_report_row *row_at(const struct sw_report *report, size_t i)
{
    return row_of(report, report->row, i);
}

struct sw_report *swi_report_ref(struct sw_report *report)
{
    atomic_fetch_add(&((struct shared *)report)->references, 1);
    return report;
}

static void counters_make(struct making *making, struct sw_report_row *row)
{
    const struct gathered *g = &making->row;
    swi_counter_values_set(making->columns, &making->reports->measured->counters, row, g->use,
                           g->uses);
    for (size_t i = 0; i < making->columns->counters && !making->by_shape; i++)
        making->missed += row->counter[i].missed;
}

/* Returns whether all calls of a standard row's action had shapes. Then it has no row without a
 * shape. */
static bool is_shaped_only(const struct making *making, size_t next)
{
    const struct source *source = making->source;
    return making->by_shape && making->row.copy.count == 0 && next < making->sources &&
           source[next].order == source[next - 1].order;
}

/* Makes the rows of the report from number `first` on. Returns how many. */
static size_t rows_make(struct making *making, const struct sw_report *report,
                        const struct sw_report_row *rows, size_t first)
{
    struct gathered *g = &making->row;
    size_t count = 0, sources;
    making->columns = columns_of(report);
    for (size_t i = 0; i < making->sources; i += sources) {
        sources = sources_of_row(making, i);
        if (!gather_row(making, &making->source[i], sources) || is_shaped_only(making, i + sources))
            continue;
        swi_bins_sort(&g->durations);
        swi_bins_sort(&g->rates);
        struct sw_report_row *row = row_of(report, rows, first + count);
        bool fine = row_make(row, g, report->tick_ns, report->fit_ns);
        counters_make(making, row);
        if (g->phase == SW_PHASE_FIT && g->action == SW_FIT)
            fine = fit_row_make(row, report->fit_ns) && fine;
        making->failed = making->failed || !fine;
        if (!making->by_shape)
            account_row(making);
        count++;
    }
    return count;
}

/* like: has the counters that this one is to have, too; NULL: those that there are by now. */
static struct sw_report *report_new(const struct swi_measured *measured, size_t rows,
                                    const struct sw_report *like)
{
    struct shared *shared = calloc(1, sizeof *shared);
    if (!shared)
        return NULL;
    if (like)
        shared->columns = *columns_of(like);
    else
        swi_counter_columns_take(&shared->columns, &measured->counters,
                                 measured->chosen.peak_flops);
    shared->columns.column = NULL;
    shared->columns.text = NULL;
    shared->report.row = calloc(rows + 1, shared->columns.row_size);
    if (!shared->report.row) {
        free(shared);
        return NULL;
    }
    atomic_init(&shared->references, 1);
    return &shared->report;
}

static void report_fill(struct sw_report *report, struct making *making)
{
    const struct swi_chosen *chosen = &making->reports->measured->chosen;
    const struct swi_moment *moment = making->moment;
    const struct sw_report_row *row = report->row;
    *report = (struct sw_report){.size = sizeof *report,
                                 .misuse_size = sizeof *report->misuse,
                                 .mode = chosen->mode,
                                 .fit = moment->fit ? moment->fit : 1,
                                 .complete = moment->complete,
                                 .inserted = moment->inserted,
                                 .preempted = -1,
                                 .gpu = "",
                                 .drop_first_batch = chosen->drop != 0,
                                 .show_accounting = chosen->accounting,
                                 .epoch = moment->epoch,
                                 .step = moment->step,
                                 .fit_ns = moment->fit_ticks * moment->ns_per_tick,
                                 .row = row,
                                 .tick_ns = moment->ns_per_tick};
    making->failed = !swi_counter_columns_set(columns_of(report), report) || making->failed;
    report->started_s = making->reports->run->started_s + (double)moment->began_ns * 1e-9;
    overall_make(&report->overall_train, moment, 0);
    overall_make(&report->overall_valid, moment, 1);
}

/* Moves the misuses of the moment into its report. */
static void misuses_take(struct sw_report *report, struct swi_moment *moment)
{
    report->misuse = moment->misuse;
    report->misuse_count = moment->misuse_count;
    moment->misuse = NULL;
    moment->misuse_count = 0;
}

static void making_fini(struct making *making)
{
    views_fini(making);
    free(making->source);
    free(making->part.room);
    swi_bins_fini(&making->row.durations);
    swi_bins_fini(&making->row.rates);
}

static bool distribution_copy(struct sw_distribution *d)
{
    const struct sw_distribution from = *d;
    d->bin = NULL;
    d->value = NULL;
    if (!from.bin)
        return true;
    if (!distribution_alloc(d, from.bin_count, from.kept))
        return false;
    memcpy((void *)d->bin, from.bin, from.bin_count * sizeof *from.bin);
    memcpy((void *)d->value, from.value, from.kept * sizeof *from.value);
    return true;
}

/* Returns false if out of memory. The rows may be freed in any case. */
static bool rows_copy(const struct sw_report *report, const struct sw_report_row *rows,
                      const struct sw_report *from, const struct sw_report_row *from_rows,
                      size_t count)
{
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        struct sw_report_row *to = row_of(report, rows, i);
        memcpy(to, row_of(from, from_rows, i), from->row_size);
        swi_counter_values_find(columns_of(report), to);
        bool durations = distribution_copy(&to->durations), rates = distribution_copy(&to->rates);
        fine = fine && durations && rates;
    }
    return fine;
}

/* ---- once more by shape ---- */

static bool any_shaped(const struct making *making)
{
    for (size_t i = 0; i < making->sources; i++)
        if (making->source[i].shaped)
            return true;
    return false;
}

/* Makes the sources again. Returns false if no action had a shape. */
static bool sources_by_shape(struct making *making, bool standard)
{
    free(making->source);
    making->source = NULL;
    making->sources = 0;
    making->by_shape = true;
    sources_make(making, standard);
    return !making->failed && any_shaped(making);
}

/* like: an earlier report, whose rows by shape come first; NULL: none. */
static void shaped_make(struct making *making, struct sw_report *report,
                        const struct sw_report *like)
{
    const struct sw_report_row *before = like && like->shaped_count ? like->shaped : NULL;
    size_t count = before ? like->shaped_count : like ? like->count : 0;
    if (!before && like)
        before = like->row;
    report->shaped = calloc(count + report_rows(making) + 1, report->row_size);
    making->failed = making->failed || !report->shaped;
    if (!report->shaped)
        return;
    if (count)
        making->failed = !rows_copy(report, report->shaped, like, before, count) || making->failed;
    report->shaped_count = count + rows_make(making, report, report->shaped, count);
    for (size_t i = count; i < report->shaped_count; i++)
        overall_copy(row_of(report, report->shaped, i), report);
}

static struct sw_report *report_finish(struct making *making, struct sw_report *report)
{
    report_fill(report, making);
    size_t count = rows_make(making, report, report->row, 0);
    report->count = count;
    own_sum(making);
    accounting_make(report, making);
    for (size_t i = 0; i < count; i++)
        overall_copy(row_at(report, i), report);
    if (sources_by_shape(making, true))
        shaped_make(making, report, NULL);
    if (!making->failed)
        return report;
    sw_report_free(report);
    return NULL;
}

/* holds: set to whether everything that was read is consistent. */
static struct sw_report *report_try(struct swi_reports *reports, struct swi_moment *moment,
                                    bool large, bool *holds)
{
    struct making making = {.reports = reports, .moment = moment};
    struct sw_report *report = NULL;
    views_make(&making, large);
    for (size_t i = 0; i < making.count && moment->number == SWI_NOW; i++)
        if (making.view[i].thread == moment->loop)
            moment->elapsed = making.view[i].snapshot.elapsed;
    if (moment->number == SWI_NOW)
        swi_moment_rest(reports, moment);
    sources_make(&making, true);
    if (!making.failed && !moment->failed &&
        (report = report_new(reports->measured, report_rows(&making), NULL)))
        report = report_finish(&making, report);
    *holds = views_hold(&making);
    if (*holds && making.unbinned)
        flaw_tell(reports, SWI_FLAW_UNBINNED, 0);
    if (*holds && making.missed)
        flaw_tell(reports, SWI_FLAW_UNCOUNTED, swi_hardware_ran_percent());
    if (*holds)
        torn_say(&making);
    if (*holds && moment->cuts)
        traces_cut(&making);
    making_fini(&making);
    return report;
}

/* Of the fit that has ended, or of one that the end of the program cuts off. */
static void findings_take(struct swi_reports *reports, struct sw_report *report,
                          const struct swi_moment *moment)
{
    struct swi_measured *measured = reports->measured;
    bool cut_off = moment->number == SWI_NOW && atomic_load(&measured->dead) &&
                   atomic_load(&measured->progress.fit_open);
    struct shared *shared = (struct shared *)report;
    if (moment->newest)
        shared->findings = swi_findings_make(report, moment, moment->newest, reports->run->replayed,
                                             measured->clock.arg == NULL);
    if (!cut_off)
        return;
    pthread_mutex_lock(&measured->lock);
    shared->findings = swi_findings_make(report, moment, atomic_load(&measured->newest), false,
                                         measured->clock.arg == NULL);
    pthread_mutex_unlock(&measured->lock);
}

struct sw_report *swi_report_of(struct swi_reports *reports, struct swi_moment *moment)
{
    enum { TRIES = 100 };
    bool holds = false;
    struct sw_report *report = NULL;
    for (int i = 0; i < TRIES && !holds; i++) {
        sw_report_free(report);
        report = report_try(reports, moment, i == 0, &holds);
    }
    if (report) {
        misuses_take(report, moment);
        findings_take(reports, report, moment);
    }
    return report;
}

struct sw_report *swi_report_make(struct swi_reports *reports)
{
    struct swi_moment moment;
    swi_moment_begin(reports->measured, &moment, false);
    moment.cuts = atomic_load(&reports->measured->dead);
    struct sw_report *report = swi_report_of(reports, &moment);
    swi_moment_fini(&moment);
    return report;
}

/* ---- between two fits ---------------------------------------------------------------------------
 */

static bool any_calls(const struct swi_thread *thread)
{
    uint64_t since = SWI_GET(thread->since);
    for (struct swi_row *row = atomic_load(&thread->rows); row; row = row->next)
        if (swi_row_is_known(row, since) && SWI_GET(row->durations.count))
            return true;
    return false;
}

/* Returns whether a fit has ended and none is open. While a fit ends, its thread still has its
 * rows. */
static bool is_after(const struct swi_measured *measured)
{
    return measured->last_loop && !atomic_load(&measured->loop);
}

/* Returns whether any thread has rows, including the thread of the spans. Call it with the lock
 * held. */
static bool any_rows(const struct swi_measured *measured)
{
    for (struct swi_thread *thread = measured->threads; thread; thread = thread->next)
        if (atomic_load(&thread->rows))
            return true;
    return false;
}

bool swi_report_due(struct swi_measured *measured)
{
    pthread_mutex_lock(&measured->lock);
    bool due = SWI_GET(measured->progress.fit_open);
    if (!due && !SWI_GET(measured->progress.fit_number))
        due = any_rows(measured);
    else if (!due)
        due = is_after(measured) && any_calls(measured->last_loop);
    pthread_mutex_unlock(&measured->lock);
    return due;
}

static struct sw_report *report_join(const struct sw_report *last, struct making *after,
                                     struct swi_misuses *misuses)
{
    struct sw_report *report = report_new(NULL, last->count + report_rows(after), last);
    if (!report)
        return NULL;
    const struct sw_report_row *row = report->row;
    *report = *last;
    report->row = row;
    report->amended = true;
    ((struct shared *)report)->findings = swi_findings_ref(((const struct shared *)last)->findings);
    bool fine = swi_counter_columns_set(columns_of(report), report);
    fine = rows_copy(report, report->row, last, last->row, last->count) && fine;
    report->count = last->count;
    report->count += rows_make(after, report, report->row, last->count);
    report->shaped = NULL;
    report->shaped_count = 0;
    if (sources_by_shape(after, false) || last->shaped_count)
        shaped_make(after, report, last);
    fine = swi_misuses_copy(report, last) && swi_misuses_list(misuses, report) && fine;
    if (fine && !after->failed)
        return report;
    sw_report_free(report);
    return NULL;
}

/* Reads what the thread of the last fit has measured since. */
static void after_read(struct making *after)
{
    struct swi_measured *measured = after->reports->measured;
    pthread_mutex_lock(&measured->lock);
    struct swi_thread *last =
        is_after(measured) && !is_stale(measured, measured->last_loop) ? measured->last_loop : NULL;
    pthread_mutex_unlock(&measured->lock);
    after->view = calloc(1, sizeof *after->view);
    after->failed = !after->view;
    if (last && !after->failed)
        view_add(after, last, SW_PHASE_AFTER, false);
    sources_make(after, false);
}

struct sw_report *swi_report_amend(struct swi_reports *reports, struct sw_report *last)
{
    struct swi_moment now = {.number = SWI_NOW};
    struct making after = {.reports = reports, .moment = &now};
    after_read(&after);
    bool same = !after.failed && !after.sources;
    struct sw_report *report =
        after.failed || same ? NULL : report_join(last, &after, &reports->misuses);
    torn_say(&after);
    making_fini(&after);
    if (same)
        return last;
    sw_report_free(last);
    return report;
}

static void rows_free(const struct sw_report *report, const struct sw_report_row *rows,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((void *)row_of(report, rows, i)->durations.bin);
        free((void *)row_of(report, rows, i)->rates.bin);
    }
    free((void *)rows);
}

void sw_report_free(struct sw_report *report)
{
    SWI_OWN_MEMORY;
    if (!report || atomic_fetch_sub(&((struct shared *)report)->references, 1) > 1)
        return;
    rows_free(report, report->row, report->count);
    rows_free(report, report->shaped, report->shaped_count);
    swi_counter_columns_fini(columns_of(report));
    swi_misuses_free(report);
    swi_findings_unref(((struct shared *)report)->findings);
    free(report);
}

static size_t rows_bytes(const struct sw_report *report, const struct sw_report_row *rows,
                         size_t count)
{
    size_t bytes = count * report->row_size;
    for (size_t i = 0; i < count; i++) {
        const struct sw_report_row *row = row_of(report, rows, i);
        bytes += (row->durations.bin_count + row->rates.bin_count) * sizeof(struct sw_bin);
        bytes += (row->durations.kept + row->rates.kept) * sizeof(double);
    }
    return bytes;
}

size_t swi_report_bytes(const struct sw_report *report)
{
    return sizeof *report + rows_bytes(report, report->row, report->count) +
           rows_bytes(report, report->shaped, report->shaped_count);
}
