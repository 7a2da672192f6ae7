/* SPDX-License-Identifier: MIT */
/* Makes reports from the rows of all threads. Under the fold lock. */
#include "core/counters/perf_events.h"
#include "core/process/own_thread.h"
#include "core/process/resources.h"
#include "core/report/columns.h"
#include "core/report/fit_findings.h"
#include "core/report/report.h"
#include "core/report/row_sources.h"

#include <math.h>
#include <stdlib.h>

static bool is_container_row(const struct swi_gathered *g)
{
    return g->phase == SW_PHASE_FIT && g->action <= SW_VALID;
}

static void account_row(struct swi_report_input *making)
{
    const struct swi_gathered *g = &making->row;
    if (g->action == SW_STEP)
        return;
    if (g->phase < SW_PHASE_THREADS)
        *(is_container_row(g) ? &making->between : &making->inside) += (double)g->sum.self;
}

/* 0 if nobody knows. */
static double energy_of(const struct swi_report_input *making)
{
    const struct swi_reports *reports = making->reports;
    const struct swi_snapshot *snapshot = making->snapshot;
    int64_t began = snapshot->now - (int64_t)snapshot->fit_ticks;
    return reports->energy
               ? reports->energy(reports->energy_arg, began, snapshot->now, snapshot->complete)
               : 0;
}

/* Reading it takes some microseconds, so only runs that count memory have it. */
static void memory_make(struct sw_accounting *a, const struct swi_report_input *making)
{
    const struct swi_counters *counters = &making->reports->measured->counters;
    if (!counters->of_memory || counters->replayed)
        return;
    struct swi_resident resident = swi_resident();
    a->rss_bytes = resident.now;
    a->peak_rss_bytes = resident.peak;
}

/* What a replay takes and uses is not what the run took and used, which only the report of a whole
 * fit says. */
static void costs_make(struct sw_accounting *a, const struct swi_report_input *making, int fit)
{
    const struct swi_reports *reports = making->reports;
    const struct swi_snapshot *snapshot = making->snapshot;
    double per_tick = reports->measured->clock.counter ? snapshot->ns_per_tick : 1;
    a->own_ns = making->own_ticks * per_tick;
    a->joules = energy_of(making);
    /* On another clock, the fit's time cannot be compared with it. */
    if (!reports->measured->clock.set && !reports->run->replayed)
        a->own_threads_ns =
            (double)(reports->measured->own_threads_ns - reports->measured->progress.fit_own_ns);
    if (reports->run->replayed) {
        struct swi_replayed_cost cost = swi_replayed_costs_of(
            &reports->costs, snapshot->complete || reports->costs.ended ? fit : 0);
        a->own_ns = cost.own_ns;
        a->own_threads_ns = cost.own_threads_ns;
        a->joules = cost.joules;
    }
}

static void accounting_make(struct sw_report *report, const struct swi_report_input *making)
{
    const struct swi_snapshot *snapshot = making->snapshot;
    struct sw_accounting *a = &report->accounting;
    double between = making->between + (double)snapshot->discarded_ticks;
    a->accounted_ns = (making->inside + (double)snapshot->dropped_ticks) * snapshot->ns_per_tick;
    a->other_ns = report->fit_ns - a->accounted_ns;
    a->residue_ns = report->complete ? a->other_ns - between * snapshot->ns_per_tick : 0;
    a->steps = snapshot->elapsed.steps;
    costs_make(a, making, report->fit);
    /* It is extrapolated from samples. */
    if (a->own_ns > report->fit_ns)
        a->own_ns = report->fit_ns;
    a->own_ns_per_step = a->steps ? a->own_ns / (double)a->steps : 0;
    memory_make(a, making);
    a->misuses = snapshot->misuses;
    a->discarded = snapshot->discarded;
}

static void overall_make(struct sw_overall *overall, const struct swi_snapshot *snapshot, int phase)
{
    double ticks = (double)swi_elapsed_ticks(&snapshot->elapsed, phase, snapshot->now);
    overall->samples = snapshot->elapsed.samples[phase];
    overall->elapsed_ns = ticks * snapshot->ns_per_tick;
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

static struct sw_report_row *row_at(const struct sw_report *report, size_t i)
{
    return swi_report_row_of(report, report->row, i);
}

static void counters_make(struct swi_report_input *making, struct sw_report_row *row)
{
    const struct swi_gathered *g = &making->row;
    swi_counter_values_set(making->columns, &making->reports->measured->counters, row, g->use,
                           g->uses);
    for (size_t i = 0; i < making->columns->counters && !making->by_shape; i++) {
        making->missed += row->counter[i].missed;
        making->full = making->full || row->counter[i].total == INT64_MAX;
    }
}

/* Returns whether all calls of a standard row's action had shapes. Then it has no row without a
 * shape. */
static bool is_shaped_only(const struct swi_report_input *making, size_t next)
{
    const struct swi_source *source = making->source;
    return making->by_shape && making->row.sum.count == 0 && next < making->sources &&
           source[next].order == source[next - 1].order;
}

/* Makes the rows of the report from number `first` on. Returns how many. */
static size_t rows_make(struct swi_report_input *making, const struct sw_report *report,
                        const struct sw_report_row *rows, size_t first)
{
    struct swi_gathered *g = &making->row;
    size_t count = 0, sources;
    making->columns = &swi_report_shared(report)->columns;
    for (size_t i = 0; i < making->sources; i += sources) {
        sources = swi_row_sources_of_row(making, i);
        if (!swi_row_totals(making, &making->source[i], sources) ||
            is_shaped_only(making, i + sources))
            continue;
        swi_bins_sort(&g->durations);
        swi_bins_sort(&g->rates);
        struct sw_report_row *row = swi_report_row_of(report, rows, first + count);
        bool fine = swi_report_row(row, g, report->tick_ns, report->fit_ns);
        counters_make(making, row);
        if (g->phase == SW_PHASE_FIT && g->action == SW_FIT)
            fine = swi_report_row_of_fit(row, report->fit_ns) && fine;
        making->failed = making->failed || !fine;
        if (!making->by_shape)
            account_row(making);
        count++;
    }
    return count;
}

static void report_fill(struct sw_report *report, struct swi_report_input *making)
{
    const struct swi_chosen *chosen = &making->reports->measured->chosen;
    const struct swi_snapshot *snapshot = making->snapshot;
    const struct sw_report_row *row = report->row;
    *report = (struct sw_report){.size = sizeof *report,
                                 .misuse_size = sizeof *report->misuse,
                                 .mode = chosen->mode,
                                 .fit = snapshot->fit ? snapshot->fit : 1,
                                 .complete = snapshot->complete,
                                 .inserted = snapshot->inserted,
                                 .preempted = -1,
                                 .gpu = "",
                                 .drop_first_batch = chosen->drop != 0,
                                 .show_accounting = chosen->accounting,
                                 .epoch = snapshot->epoch,
                                 .step = snapshot->step,
                                 .fit_ns = snapshot->fit_ticks * snapshot->ns_per_tick,
                                 .row = row,
                                 .tick_ns = snapshot->ns_per_tick};
    making->failed =
        !swi_counter_columns_set(&swi_report_shared(report)->columns, report) || making->failed;
    report->started_s = making->reports->run->started_s + (double)snapshot->began_ns * 1e-9;
    overall_make(&report->overall_train, snapshot, 0);
    overall_make(&report->overall_valid, snapshot, 1);
}

/* Moves the misuses of the moment into its report. */
static void misuses_take(struct sw_report *report, struct swi_snapshot *snapshot)
{
    report->misuse = snapshot->misuse;
    report->misuse_count = snapshot->misuse_count;
    snapshot->misuse = NULL;
    snapshot->misuse_count = 0;
}

/* ---- once more by shape ---------------------------------------------------------------------- */

static void shaped_make(struct swi_report_input *making, struct sw_report *report,
                        const struct sw_report *like)
{
    const struct sw_report_row *before = like && like->shaped_count ? like->shaped : NULL;
    size_t count = before ? like->shaped_count : like ? like->count : 0;
    if (!before && like)
        before = like->row;
    size_t room = count + swi_row_sources_rows(making) + 1;
    report->shaped = calloc(room, report->row_size);
    making->failed = making->failed || !report->shaped;
    if (!report->shaped)
        return;
    swi_report_shared(report)->row_room += room;
    if (count)
        making->failed =
            !swi_report_rows_copy(report, report->shaped, like, before, count) || making->failed;
    report->shaped_count = count + rows_make(making, report, report->shaped, count);
    for (size_t i = count; i < report->shaped_count; i++)
        overall_copy(swi_report_row_of(report, report->shaped, i), report);
}

static struct sw_report *report_finish(struct swi_report_input *making, struct sw_report *report)
{
    report_fill(report, making);
    size_t count = rows_make(making, report, report->row, 0);
    report->count = count;
    swi_row_totals_own_ticks(making);
    accounting_make(report, making);
    for (size_t i = 0; i < count; i++)
        overall_copy(row_at(report, i), report);
    if (swi_row_sources_by_shape(making, true))
        shaped_make(making, report, NULL);
    if (!making->failed)
        return report;
    sw_report_free(report);
    return NULL;
}

static void flaws_report(const struct swi_report_input *making)
{
    const struct swi_reports *reports = making->reports;
    if (making->unbinned)
        reports->flawed(reports->arg, SWI_FLAW_UNBINNED, 0);
    if (making->missed)
        reports->flawed(reports->arg, SWI_FLAW_UNCOUNTED, swi_perf_events_ran_percent());
    if (making->full)
        reports->flawed(reports->arg, SWI_FLAW_FULL, 0);
}

static struct sw_report *report_make(struct swi_reports *reports, struct swi_snapshot *snapshot)
{
    struct swi_report_input making = {.reports = reports, .snapshot = snapshot};
    struct sw_report *report = NULL;
    swi_report_input_read(&making);
    swi_row_sources_list(&making, true);
    if (!making.failed && !snapshot->failed &&
        (report = swi_report_new(reports->measured, swi_row_sources_rows(&making), NULL)))
        report = report_finish(&making, report);
    flaws_report(&making);
    swi_report_input_fini(&making);
    return report;
}

struct sw_report *swi_report_at(struct swi_reports *reports, int64_t now, bool complete)
{
    if (complete)
        reports->measured->own_threads_ns = swi_own_threads_ns();
    struct swi_snapshot snapshot;
    swi_snapshot_take(reports, &snapshot, now, complete);
    struct sw_report *report = report_make(reports, &snapshot);
    if (report)
        misuses_take(report, &snapshot);
    if (report && snapshot.newest)
        swi_report_shared(report)->findings =
            swi_findings_make(report, &snapshot, snapshot.newest, reports->run->replayed,
                              reports->measured->clock.arg == NULL);
    swi_snapshot_fini(&snapshot);
    return report;
}

void swi_last_report_set(struct swi_reports *reports, struct sw_report *report)
{
    sw_report_free(reports->last);
    reports->last = report ? swi_report_ref(report) : NULL;
}

/* ---- between two fits ------------------------------------------------------------------------ */

static bool any_calls(const struct swi_thread *thread)
{
    for (const struct swi_row *row = thread->rows; row; row = row->next)
        if (swi_row_is_known(thread, row) && row->durations.count)
            return true;
    return false;
}

/* Returns whether a fit has ended and none is open. */
static bool is_after(const struct swi_measured *measured)
{
    return measured->last_loop && !atomic_load(&measured->loop);
}

/* Returns whether any thread has rows, including the thread of the spans. */
static bool any_rows(const struct swi_measured *measured)
{
    for (struct swi_thread *thread = swi_first_thread(measured); thread; thread = thread->list)
        if (thread->rows)
            return true;
    return false;
}

bool swi_report_due(struct swi_measured *measured)
{
    bool due = SWI_GET(measured->progress.fit_open);
    if (!due && !SWI_GET(measured->progress.fit_number))
        due = any_rows(measured);
    else if (!due)
        due = is_after(measured) && any_calls(measured->last_loop);
    return due;
}

static struct sw_report *report_join(const struct sw_report *last, struct swi_report_input *after,
                                     struct swi_misuses *misuses)
{
    struct sw_report *report =
        swi_report_new(NULL, last->count + swi_row_sources_rows(after), last);
    if (!report)
        return NULL;
    const struct sw_report_row *row = report->row;
    *report = *last;
    report->row = row;
    report->amended = true;
    swi_report_shared(report)->findings = swi_findings_ref(swi_report_shared(last)->findings);
    bool fine = swi_counter_columns_set(&swi_report_shared(report)->columns, report);
    fine = swi_report_rows_copy(report, report->row, last, last->row, last->count) && fine;
    report->count = last->count;
    report->count += rows_make(after, report, report->row, last->count);
    report->shaped = NULL;
    report->shaped_count = 0;
    if (swi_row_sources_by_shape(after, false) || last->shaped_count)
        shaped_make(after, report, last);
    fine = swi_misuses_copy(report, last) && swi_misuses_list(misuses, report) && fine;
    if (fine && !after->failed)
        return report;
    sw_report_free(report);
    return NULL;
}

/* Adds what the thread of the last fit has measured since. */
static struct sw_report *report_amend(struct swi_reports *reports, struct sw_report *last)
{
    struct swi_measured *measured = reports->measured;
    struct swi_snapshot now = {.complete = false};
    struct swi_report_input after = {.reports = reports, .snapshot = &now};
    after.view = calloc(1, sizeof *after.view);
    after.failed = !after.view;
    if (is_after(measured) && !after.failed)
        swi_report_input_add(&after, measured->last_loop, SW_PHASE_AFTER);
    swi_row_sources_list(&after, false);
    bool same = !after.failed && !after.sources;
    struct sw_report *report =
        after.failed || same ? NULL : report_join(last, &after, &reports->misuses);
    swi_report_input_fini(&after);
    if (same)
        return last;
    sw_report_free(last);
    return report;
}

struct sw_report *swi_report_now(struct swi_reports *reports, int64_t now)
{
    bool between = reports->last && !SWI_GET(reports->measured->progress.fit_open);
    reports->measured->own_threads_ns = swi_own_threads_ns();
    return between ? report_amend(reports, swi_report_ref(reports->last))
                   : swi_report_at(reports, now, false);
}
