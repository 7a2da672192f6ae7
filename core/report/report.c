/* SPDX-License-Identifier: MIT */
/* Makes a report of what the threads' rows hold, while they go on measuring. */
#include "core/rows/action.h"
#include "core/report/columns.h"
#include "core/report/snapshot.h"
#include "core/loop/inherited.h"
#include "core/loop/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = SW_PHASE_AFTER + 1 };

/* One row of the report to be: the same phase and action on all threads. */
struct gathered {
    enum sw_phase phase;
    int action;
    struct swi_row_copy copy;
    int64_t inner; /* ticks of calls inside of a call of the same row */
    struct swi_bins durations;
    struct swi_bins rates;
};

struct gathering {
    size_t count;
    size_t capacity;
    struct gathered *item;
    uint32_t *place; /* by phase and action: of its item, from 1; large and sparse */
    int64_t misuses;
    int64_t discarded;
    int64_t discarded_ticks;
    double own_ticks;                /* cost of stepwatch's calls */
    int64_t unbinned;                /* values in no histogram, for lack of memory */
    struct swi_elapsed_copy elapsed; /* of the loop thread */
    int64_t now, since;              /* since: of the first region, where there was no fit */
    enum sw_phase threads_are; /* what the rows `threads` of the thread in hand are shown as */
    bool cuts;                 /* whoever asks holds the lock of the traces */
    bool failed;               /* no memory for all of it: a report that lacks something is none */
};

/* ---- from threads to gathered rows -------------------------------------------------------------
 */

static struct gathered *gathered_get(struct gathering *all, enum sw_phase phase, int action)
{
    uint32_t *place = &all->place[(int)phase * SWI_ACTIONS + action];
    if (*place)
        return &all->item[*place - 1];
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 32;
        struct gathered *item = realloc(all->item, capacity * sizeof *item);
        if (!item) {
            all->failed = true;
            return NULL;
        }
        all->item = item;
        all->capacity = capacity;
    }
    all->item[all->count] = (struct gathered){.phase = phase, .action = action};
    *place = (uint32_t)++all->count;
    return &all->item[all->count - 1];
}

/* Calls inside of a call of the same row are calls like any other, but their time is in the outer
 * one's: they are in no total, and the samples are the outer one's. So counts cProfile. */
static void gather_inner(struct gathered *g, struct swi_row_copy *copy)
{
    g->inner += copy->sum;
    copy->rate_count = 0;
}

/* Another fit may begin while what came after the last one is looked at: its rows are not meant. */
static bool is_meant(const struct gathering *all, const struct swi_row *row)
{
    return all->threads_are != SW_PHASE_AFTER || row->phase == SW_PHASE_THREADS;
}

/* What a thread did before it was the loop's, or after, is no other thread's. */
static enum sw_phase phase_shown(const struct gathering *all, const struct swi_row *row)
{
    if (row->phase != SW_PHASE_THREADS)
        return row->phase;
    if (all->threads_are == SW_PHASE_FIT && row->action == SW_DRAW)
        return SW_PHASE_TRAIN;
    return all->threads_are;
}

/* A row of a thread that was copied; one without calls and rates may be left out. */
static void gather_row(struct gathering *all, const struct swi_snapshot *snapshot,
                       struct swi_snapshot_row *from)
{
    const struct swi_row *row = from->row;
    struct swi_row_copy *copy = &from->copy;
    struct gathered *g = copy->count || copy->rate_count
                             ? gathered_get(all, phase_shown(all, row), row->action)
                             : NULL;
    if (!g)
        return;
    if (row->is_inner)
        gather_inner(g, copy);
    if (copy->rate_count && !g->copy.rate_count && !g->copy.count)
        g->copy = *copy;
    else
        swi_row_copy_add(&g->copy, copy);
    const struct swi_octave_copy *durations = snapshot->octave + from->octaves_at;
    const struct swi_octave_copy *rates = durations + from->durations;
    bool done =
        !copy->count || swi_bins_add(&g->durations, durations, from->durations, SWI_BIN_OF_ONE);
    done =
        (!copy->rate_count || swi_bins_add(&g->rates, rates, from->rates, SWI_BIN_FIRST)) && done;
    all->failed = all->failed || !done;
}

static void gather_call(struct gathering *all, const struct swi_row *row, int64_t ticks,
                        int64_t self)
{
    struct gathered *g = gathered_get(all, phase_shown(all, row), row->action);
    if (!g)
        return;
    if (self != SWI_COUNTED)
        swi_row_copy_call(&g->copy, ticks, self);
    if (self != SWI_COUNTED && row->is_inner)
        g->inner += ticks;
    all->failed = !swi_bins_add_one(&g->durations, (double)ticks, SWI_BIN_OF_ONE) || all->failed;
}

static void gather_snapshot(struct gathering *all, struct swi_snapshot *snapshot)
{
    for (size_t i = snapshot->rows; i-- > 0;)
        if (is_meant(all, snapshot->row[i].row))
            gather_row(all, snapshot, &snapshot->row[i]);
    for (size_t i = 0; i < snapshot->ended_count; i++)
        if (is_meant(all, snapshot->ended[i].row))
            gather_call(all, snapshot->ended[i].row, snapshot->ended[i].ticks,
                        snapshot->ended[i].self);
    if (all->threads_are != SW_PHASE_THREADS)
        all->elapsed = snapshot->elapsed;
}

/* What the loop's thread did before or after its fit does not count. */
static void gather_own(struct gathering *all, const struct swi_thread *thread,
                       const struct swi_snapshot *snapshot)
{
    int64_t regions[SWI_STRATA] = {0};
    bool apart = all->threads_are == SW_PHASE_BEFORE || all->threads_are == SW_PHASE_AFTER;
    for (size_t i = 0; i < snapshot->rows; i++) {
        const struct swi_row *row = snapshot->row[i].row;
        bool container = row->phase == SW_PHASE_FIT && row->action <= SW_VALID;
        bool out = container || row->action == SW_STEP || (apart && row->phase == SW_PHASE_THREADS);
        regions[swi_stratum_of(row->phase)] += out ? 0 : snapshot->row[i].copy.count;
    }
    for (size_t i = 0; i < snapshot->ended_count; i++)
        if (snapshot->ended[i].self != SWI_COUNTED)
            regions[swi_stratum_of(snapshot->ended[i].row->phase)]++;
    all->own_ticks += swi_cost_ticks(&thread->cost, regions);
}

static void say_torn(struct sw_profiler *sw, const struct swi_thread *thread)
{
    swi_say(&sw->messages, SW_WARNING,
            "report: the rows of thread %d are approximate: for half a second it stood in the "
            "middle of a change to them",
            thread->loop ? 0 : thread->number);
}

static void gather_thread(struct gathering *all, struct sw_profiler *sw, struct swi_thread *thread,
                          bool complete)
{
    struct swi_snapshot snapshot;
    enum swi_snapshot_rc rc = swi_snapshot_take(&snapshot, thread);
    if (rc == SWI_SNAPSHOT_TORN)
        say_torn(sw, thread);
    all->failed = all->failed || rc == SWI_SNAPSHOT_NO_MEMORY;
    gather_snapshot(all, &snapshot);
    if (all->cuts)
        swi_trace_cut(atomic_load(&thread->trace), snapshot.traced);
    gather_own(all, thread, &snapshot);
    if (complete) {
        thread->reported = (uint32_t)snapshot.ended_count;
        thread->reported_at = snapshot.sequence;
    }
    swi_snapshot_fini(&snapshot);
    all->unbinned += SWI_GET(thread->reserve.lost);
    all->misuses += SWI_GET(thread->misuses);
    all->discarded += SWI_GET(thread->discarded);
    all->discarded_ticks += SWI_GET(thread->discarded_ticks);
}

/* A thread that has not looked since the last fit still holds what that fit's report has shown. */
static bool is_stale(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    return thread->fits != sw->fits;
}

struct swi_thread *swi_thread_first(struct sw_profiler *sw)
{
    struct swi_thread *first = NULL;
    for (struct swi_thread *thread = sw->threads; thread; thread = thread->next)
        if (atomic_load(&thread->rows) && (!first || thread->number < first->number))
            first = thread;
    return first;
}

/* The loop's thread, and what its rows `threads` are: those of a fit that nobody began are in it.
 */
static struct swi_thread *loop_thread(struct sw_profiler *sw, enum sw_phase *threads_are)
{
    struct swi_thread *loop = atomic_load(&sw->loop);
    bool inserted = SWI_GET(sw->fit_inserted);
    *threads_are = loop && !inserted ? SW_PHASE_BEFORE : SW_PHASE_FIT;
    if (loop)
        return loop;
    if (!SWI_GET(sw->fit_number))
        return swi_thread_first(sw);
    *threads_are = SW_PHASE_AFTER;
    return sw->last_loop;
}

/* The threads that are in a report. They stay until sw_close(), so their rows are read without the
 * lock: no thread that begins to measure, or pauses, waits for a report. */
struct readable {
    size_t count;
    struct swi_thread **item; /* NULL without memory */
};

static struct readable threads_readable(const struct sw_profiler *sw)
{
    struct readable threads = {.item = calloc((size_t)sw->thread_count + 1, sizeof(*threads.item))};
    for (struct swi_thread *thread = sw->threads; thread && threads.item; thread = thread->next)
        if (!is_stale(sw, thread))
            threads.item[threads.count++] = thread;
    return threads;
}

static void trace_cut_all(struct swi_trace *trace)
{
    swi_trace_cut(trace, swi_trace_published(trace));
}

/* Of the others the report before has seen all. */
static void stale_cut(const struct sw_profiler *sw)
{
    for (struct swi_thread *thread = sw->threads; thread; thread = thread->next)
        if (is_stale(sw, thread))
            trace_cut_all(atomic_load(&thread->trace));
}

/* A gap between the clocks that the loop's thread has yet to take out. */
static void elapsed_correct(struct gathering *all, struct sw_profiler *sw)
{
    pthread_mutex_lock(&sw->lock);
    all->elapsed.since = swi_loop_tick(sw, all->elapsed.since);
    pthread_mutex_unlock(&sw->lock);
}

static void gather(struct gathering *all, struct sw_profiler *sw, bool complete)
{
    enum sw_phase threads_are;
    pthread_mutex_lock(&sw->lock);
    struct swi_thread *loop = loop_thread(sw, &threads_are);
    all->now = sw->standing ? sw->pause_tick : swi_clock_tick(&sw->clock);
    all->since = loop ? loop->first_tick : all->now;
    if (all->cuts)
        stale_cut(sw);
    struct readable threads = threads_readable(sw);
    pthread_mutex_unlock(&sw->lock);
    all->failed = all->failed || !threads.item;
    for (size_t i = 0; threads.item && i < threads.count; i++) {
        all->threads_are = threads.item[i] == loop ? threads_are : SW_PHASE_THREADS;
        gather_thread(all, sw, threads.item[i], complete);
    }
    free(threads.item);
    elapsed_correct(all, sw);
}

/* Between two fits, or after the last one. While a fit ends, its thread still has its rows. */
static bool is_after(const struct sw_profiler *sw)
{
    return sw->last_loop && !atomic_load(&sw->loop);
}

/* What the thread of the last fit measured since. */
static void gather_after(struct gathering *all, struct sw_profiler *sw)
{
    pthread_mutex_lock(&sw->lock);
    struct swi_thread *last = is_after(sw) && !is_stale(sw, sw->last_loop) ? sw->last_loop : NULL;
    pthread_mutex_unlock(&sw->lock);
    all->threads_are = SW_PHASE_AFTER;
    if (last)
        gather_thread(all, sw, last, false);
}

static void gathering_fini(struct gathering *all)
{
    for (size_t i = 0; i < all->count; i++) {
        swi_bins_fini(&all->item[i].durations);
        swi_bins_fini(&all->item[i].rates);
    }
    free(all->item);
    free(all->place);
}

/* ---- from gathered rows to the report ----------------------------------------------------------
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

static int place_in(const int *order, int action)
{
    for (int i = 0; order[i] >= 0; i++)
        if (order[i] == action)
            return i;
    return SW_BUILTIN_ACTIONS + action;
}

/* Every standard row stands in the report, also without calls. */
static void standard_rows_add(struct gathering *all, enum sw_mode mode)
{
    for (int phase = SW_PHASE_FIT; phase <= SW_PHASE_THREADS; phase++)
        for (const int *action = order_of(mode, (enum sw_phase)phase); *action >= 0; action++)
            gathered_get(all, (enum sw_phase)phase, *action);
}

static int by_order(const void *a, const void *b, void *mode)
{
    const struct gathered *x = a, *y = b;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    const int *order = order_of(*(enum sw_mode *)mode, x->phase);
    return place_in(order, x->action) - place_in(order, y->action);
}

/* The bins that are not empty, ascending; of negative values with both sign and order turned round.
 */
static size_t bins_make(const struct sw_bin **made, const struct swi_bins *bins,
                        double (*edge)(uint64_t), double scale)
{
    struct sw_bin *list = bins->count ? malloc(bins->count * sizeof *list) : NULL;
    if (!list)
        return 0;
    for (size_t i = 0; i < bins->count; i++) {
        const struct swi_bin_count *at = &bins->item[scale < 0 ? bins->count - 1 - i : i];
        double a = edge(at->bin) * scale, b = edge(at->bin + 1) * scale;
        list[i] = (struct sw_bin){.low = a < b ? a : b, .high = a < b ? b : a, at->count};
    }
    *made = list;
    return bins->count;
}

static size_t kept(int64_t count)
{
    return count < SW_DISTRIBUTION_KEPT ? (size_t)count : SW_DISTRIBUTION_KEPT;
}

static void durations_make(struct sw_distribution *d, const struct gathered *g, double scale)
{
    const struct swi_row_copy *c = &g->copy;
    if (!c->count)
        return;
    *d = (struct sw_distribution){.count = c->count,
                                  .mean = (double)c->sum * scale / (double)c->count,
                                  .variance = swi_row_copy_variance(c) * scale * scale,
                                  .min = (double)c->min * scale,
                                  .max = (double)c->max * scale,
                                  .kept = kept(c->count)};
    for (size_t i = 0; i < d->kept; i++)
        d->value[i] = (double)c->first[i] * scale;
    d->bin_stride = sizeof *d->bin;
    d->bin_count = bins_make(&d->bin, &g->durations, swi_duration_edge, scale);
}

static void rates_make(struct sw_distribution *d, const struct gathered *g, double scale)
{
    const struct swi_row_copy *c = &g->copy;
    if (!c->rate_count)
        return;
    double n = (double)c->rate_count, shift = c->rate_sum / n;
    double variance = c->rate_squares / n - shift * shift;
    *d = (struct sw_distribution){.count = c->rate_count,
                                  .mean = (c->rate_origin + shift) * scale,
                                  .variance = variance > 0 ? variance * scale * scale : 0,
                                  .min = c->rate_min * scale,
                                  .max = c->rate_max * scale,
                                  .kept = kept(c->rate_count)};
    for (size_t i = 0; i < d->kept; i++)
        d->value[i] = c->rate_first[i] * scale;
    d->bin_stride = sizeof *d->bin;
    d->bin_count = bins_make(&d->bin, &g->rates, swi_bin_edge, c->rate_min < 0 ? -scale : scale);
}

static const char *const phase_name[] = {"fit", "train", "valid", "threads", "before", "after"};

static void row_quantiles(struct sw_report_row *row)
{
    bool any = row->durations.count > 0;
    row->p50_ns = any ? sw_quantile(&row->durations, 0.50) : 0;
    row->p95_ns = any ? sw_quantile(&row->durations, 0.95) : 0;
    row->p99_ns = any ? sw_quantile(&row->durations, 0.99) : 0;
}

static void row_make(struct sw_report_row *row, const struct gathered *g, double ns_per_tick,
                     double fit_ns)
{
    *row = (struct sw_report_row){.phase_id = g->phase,
                                  .action_id = g->action,
                                  .phase = phase_name[g->phase],
                                  .action = sw_action_name(g->action),
                                  .calls = g->copy.count};
    durations_make(&row->durations, g, ns_per_tick);
    rates_make(&row->rates, g, 1e9 / ns_per_tick);
    row->total_ns = (double)(g->copy.sum - g->inner) * ns_per_tick;
    row->self_ns = g->action == SW_STEP ? NAN : (double)g->copy.self * ns_per_tick;
    row->mean_ns = row->durations.mean;
    row->std_ns = sqrt(row->durations.variance);
    row->min_ns = row->durations.min;
    row->max_ns = row->durations.max;
    row->share = fit_ns > 0 ? row->total_ns / fit_ns : 0;
    if (g->phase > SW_PHASE_THREADS)
        row->share = NAN;
    row->samples_per_s = row->calls && row->rates.count ? row->rates.mean : NAN;
    row->overall_samples_per_s = NAN;
    row_quantiles(row);
}

/* fit/fit stands for the fit as a whole, also while it runs: it has no mean. */
static void fit_row_make(struct sw_report_row *row, double fit_ns)
{
    row->calls = 1;
    row->total_ns = fit_ns;
    row->share = fit_ns > 0 ? 1 : 0;
    row->mean_ns = row->std_ns = 0;
    row->min_ns = row->max_ns = row->p50_ns = row->p95_ns = row->p99_ns = fit_ns;
    if (row->durations.count == 0) {
        row->durations = (struct sw_distribution){.count = 1, .mean = fit_ns, .kept = 1};
        row->durations.min = row->durations.max = row->durations.value[0] = fit_ns;
    }
}

static bool is_container_row(const struct gathered *g)
{
    return g->phase == SW_PHASE_FIT && g->action <= SW_VALID;
}

static void accounting_make(struct sw_report *report, const struct sw_profiler *sw,
                            const struct gathering *all, double ns_per_tick)
{
    struct sw_accounting *a = &report->accounting;
    double inside = (double)SWI_GET(sw->dropped_ticks);
    double between = (double)all->discarded_ticks;
    for (size_t i = 0; i < all->count; i++) {
        const struct gathered *g = &all->item[i];
        if (g->action == SW_STEP)
            continue;
        if (g->phase < SW_PHASE_THREADS)
            *(is_container_row(g) ? &between : &inside) += (double)g->copy.self;
    }
    a->accounted_ns = inside * ns_per_tick;
    a->other_ns = report->fit_ns - a->accounted_ns;
    a->residue_ns = report->complete ? a->other_ns - between * ns_per_tick : 0;
    a->steps = all->elapsed.steps;
    a->own_ns = all->own_ticks * (sw->clock.counter ? ns_per_tick : 1);
    a->own_ns_per_step = a->steps ? a->own_ns / (double)a->steps : 0;
    a->misuses = all->misuses;
    a->discarded = all->discarded;
}

static void overall_make(struct sw_overall *overall, const struct gathering *all, int phase,
                         double ns_per_tick)
{
    double ticks = (double)swi_elapsed_ticks(&all->elapsed, phase, all->now);
    overall->samples = all->elapsed.samples[phase];
    overall->elapsed_ns = ticks * ns_per_tick;
    bool known = overall->samples > 0 && ticks > 0;
    overall->samples_per_s = known ? (double)overall->samples * 1e9 / overall->elapsed_ns : NAN;
}

/* The rows that stand for all steps of a phase. */
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

/* Where there was no fit, what was measured is one from the first region on. */
static double fit_ticks(struct sw_profiler *sw, const struct gathering *all, bool complete)
{
    if (complete)
        return (double)SWI_GET(sw->fit_ticks);
    if (!atomic_load_explicit(&sw->fit_open, memory_order_acquire))
        return SWI_GET(sw->fit_number) ? 0 : (double)(all->now - all->since);
    return (double)swi_fit_elapsed(sw);
}

/* A report never changes, so the one of a fit that has ended is given to whoever asks. */
struct shared {
    struct sw_report report;
    atomic_int references;
};

struct sw_report *swi_report_ref(struct sw_report *report)
{
    atomic_fetch_add(&((struct shared *)report)->references, 1);
    return report;
}

static bool bins_missing(const struct sw_distribution *d, const struct swi_bins *bins)
{
    return d->count && !d->bin && bins->count > 0;
}

/* False where there is no memory for all of it. */
static bool rows_make(struct sw_report_row *row, struct gathering *all, double ns_per_tick,
                      double fit_ns)
{
    bool missing = false;
    for (size_t i = 0; i < all->count; i++) {
        swi_bins_sort(&all->item[i].durations);
        swi_bins_sort(&all->item[i].rates);
        row_make(&row[i], &all->item[i], ns_per_tick, fit_ns);
        if (all->item[i].phase == SW_PHASE_FIT && all->item[i].action == SW_FIT)
            fit_row_make(&row[i], fit_ns);
        missing = missing || bins_missing(&row[i].durations, &all->item[i].durations) ||
                  bins_missing(&row[i].rates, &all->item[i].rates);
    }
    return !missing;
}

static struct sw_report *report_new(struct sw_profiler *sw, struct gathering *all, bool complete)
{
    struct shared *shared = calloc(1, sizeof *shared);
    struct sw_report_row *row = calloc(all->count, sizeof *row);
    if (!shared || !row) {
        free(shared);
        free(row);
        return NULL;
    }
    struct sw_report *report = &shared->report;
    atomic_init(&shared->references, 1);
    double ns_per_tick = swi_clock_rate(&sw->clock);
    *report = (struct sw_report){.size = sizeof *report,
                                 .row_size = sizeof *row,
                                 .misuse_size = sizeof *report->misuse,
                                 .mode = sw->mode,
                                 .fit = SWI_GET(sw->fit_number) ? SWI_GET(sw->fit_number) : 1,
                                 .complete = complete,
                                 .drop_first_batch = sw->drop != 0,
                                 .show_accounting = sw->accounting,
                                 .epoch = SWI_GET(sw->fit_epochs),
                                 .step = SWI_GET(sw->step),
                                 .fit_ns = fit_ticks(sw, all, complete) * ns_per_tick,
                                 .count = all->count,
                                 .row = row,
                                 .tick_ns = ns_per_tick};
    swi_columns_set(report);
    int64_t began_ns =
        SWI_GET(sw->fit_number) ? SWI_GET(sw->fit_began_ns) : swi_clock_ns(&sw->clock, all->since);
    report->started_s = sw->run.started_s + (double)began_ns * 1e-9;
    if (!rows_make(row, all, ns_per_tick, report->fit_ns)) {
        sw_report_free(report);
        return NULL;
    }
    if (!swi_misuses_list(&sw->misuses, report)) {
        sw_report_free(report);
        return NULL;
    }
    accounting_make(report, sw, all, ns_per_tick);
    overall_make(&report->overall_train, all, 0, ns_per_tick);
    overall_make(&report->overall_valid, all, 1, ns_per_tick);
    for (size_t i = 0; i < report->count; i++)
        overall_copy(&row[i], report);
    return report;
}

struct sw_report *swi_report_make(struct sw_profiler *sw, bool complete)
{
    struct gathering all = {.place = calloc(PHASES * SWI_ACTIONS, sizeof(uint32_t)),
                            .cuts = complete || atomic_load(&sw->dead)};
    enum sw_mode mode = sw->mode;
    if (!all.place)
        return NULL;
    gather(&all, sw, complete);
    standard_rows_add(&all, mode);
    if (!all.item) {
        gathering_fini(&all); /* there is no memory for a single row */
        return NULL;
    }
    if (all.unbinned)
        swi_no_memory(sw, "a histogram");
    qsort_r(all.item, all.count, sizeof *all.item, by_order, &mode);
    struct sw_report *report = all.failed ? NULL : report_new(sw, &all, complete);
    gathering_fini(&all);
    return report;
}

/* Between two fits that of the fit before, with a reference for the caller; else NULL. */
static struct sw_report *last_report(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    pthread_mutex_lock(&sw->lock);
    if (!SWI_GET(sw->fit_open) && sw->last_report)
        report = swi_report_ref(sw->last_report);
    pthread_mutex_unlock(&sw->lock);
    return report;
}

/* ---- what came after a fit ---- */

static bool any_calls(const struct swi_thread *thread)
{
    for (struct swi_row *row = atomic_load(&thread->rows); row; row = row->next)
        if (SWI_GET(row->durations.count))
            return true;
    return false;
}

bool swi_report_due(struct sw_profiler *sw)
{
    pthread_mutex_lock(&sw->lock);
    bool due = SWI_GET(sw->fit_open);
    if (!due && !SWI_GET(sw->fit_number))
        due = swi_thread_first(sw) != NULL;
    else if (!due)
        due = sw->last_report && is_after(sw) && any_calls(sw->last_loop);
    pthread_mutex_unlock(&sw->lock);
    return due;
}

static bool bins_copy(struct sw_distribution *d)
{
    const struct sw_bin *bin = d->bin;
    struct sw_bin *copy = bin ? malloc(d->bin_count * sizeof *copy) : NULL;
    d->bin = copy;
    if (copy)
        memcpy(copy, bin, d->bin_count * sizeof *copy);
    return copy || !bin;
}

/* False without memory; the rows may be freed in any case. */
static bool rows_copy(struct sw_report_row *to, const struct sw_report *from)
{
    bool fine = true;
    for (size_t i = 0; i < from->count; i++) {
        to[i] = from->row[i];
        bool durations = bins_copy(&to[i].durations), rates = bins_copy(&to[i].rates);
        fine = fine && durations && rates;
    }
    return fine;
}

static struct sw_report *report_join(struct sw_profiler *sw, const struct sw_report *last,
                                     struct gathering *after)
{
    struct shared *shared = calloc(1, sizeof *shared);
    struct sw_report_row *row = calloc(last->count + after->count, sizeof *row);
    if (!shared || !row) {
        free(shared);
        free(row);
        return NULL;
    }
    struct sw_report *report = &shared->report;
    atomic_init(&shared->references, 1);
    *report = *last;
    report->row = row;
    report->count = last->count + after->count;
    report->amended = true;
    bool fine = rows_copy(row, last);
    fine = rows_make(row + last->count, after, last->tick_ns, last->fit_ns) && fine;
    fine = swi_misuses_copy(report, last) && swi_misuses_list(&sw->misuses, report) && fine;
    if (fine)
        return report;
    sw_report_free(report);
    return NULL;
}

/* The report of the last fit with what its thread has measured since. Takes over `last`. */
static struct sw_report *report_amend(struct sw_profiler *sw, struct sw_report *last)
{
    struct gathering after = {.place = calloc(PHASES * SWI_ACTIONS, sizeof(uint32_t))};
    enum sw_mode mode = sw->mode;
    struct sw_report *report = NULL;
    if (after.place)
        gather_after(&after, sw);
    if (after.count)
        qsort_r(after.item, after.count, sizeof *after.item, by_order, &mode);
    bool gathered = after.place && !after.failed, same = gathered && !after.count;
    if (gathered && !same)
        report = report_join(sw, last, &after);
    gathering_fini(&after);
    if (same)
        return last;
    sw_report_free(last);
    return report;
}

struct sw_report *swi_report_now(struct sw_profiler *sw)
{
    struct sw_report *last = last_report(sw);
    return last ? report_amend(sw, last) : swi_report_make(sw, false);
}

int sw_report_new(struct sw_profiler *sw, struct sw_report **report, struct sw_error *err)
{
    if (!sw)
        return sw_error_set(err, SW_EINVAL, "a report needs a profiler, and this one is NULL");
    if (swi_is_inherited(sw))
        return swi_inherited_refuse(sw, err);
    SWI_PIECE(sw);
    struct sw_report *made = swi_report_now(sw);
    if (!made)
        return sw_error_set(err, SW_ENOMEM, "no memory for a report");
    *report = made;
    return (int)made->count;
}

void sw_report_free(struct sw_report *report)
{
    if (!report || atomic_fetch_sub(&((struct shared *)report)->references, 1) > 1)
        return;
    for (size_t i = 0; i < report->count; i++) {
        free((void *)report->row[i].durations.bin);
        free((void *)report->row[i].rates.bin);
    }
    free((void *)report->row);
    swi_misuses_free(report);
    free(report);
}
