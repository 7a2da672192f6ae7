/* SPDX-License-Identifier: MIT */
#include "core/report/fit_findings.h"

#include "core/advice/advice.h"
#include "core/process/resources.h"

#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct swi_findings {
    atomic_int references;
    struct swi_advice advice;
    char gpu[64];
};

/* ---- the steps in the form that rules judge -------------------------------------------------- */

/* The arrays of struct swi_advised, in one piece of memory. */
static bool arrays_take(struct swi_advised *fit, size_t steps, size_t actions)
{
    fit->number = calloc(steps + 1, sizeof *fit->number);
    fit->samples = calloc(steps + 1, sizeof *fit->samples);
    fit->first = calloc(steps + 1, sizeof *fit->first);
    fit->draw_ns = calloc((actions + 2) * (steps + 1), sizeof *fit->draw_ns);
    fit->action = calloc(actions + 1, sizeof *fit->action);
    fit->batch_ns = fit->draw_ns + steps;
    return fit->number && fit->samples && fit->first && fit->draw_ns && fit->action;
}

static void arrays_free(struct swi_advised *fit)
{
    free(fit->number);
    free(fit->samples);
    free(fit->first);
    free(fit->draw_ns);
    free(fit->action);
}

/* Entries of the newest steps, of which the first may have `skipped` older steps. An entry of the
 * replay of a thinned log has several steps, which are alike. */
struct entries {
    const struct swi_newest_steps *newest;
    int64_t first, skipped;
};

static const struct swi_newest_step *entry_at(const struct entries *entries, int64_t at)
{
    return &entries->newest->step[at % SWI_NEWEST_STEPS];
}

/* Sets how many steps there are to judge: at most so many, and of at most so many entries. */
static struct entries entries_choose(struct swi_advised *fit, const struct swi_newest_steps *newest,
                                     int64_t most)
{
    struct entries entries = {.newest = newest, .first = newest->count};
    int64_t oldest = newest->count > most ? newest->count - most : 0, steps = 0;
    while (entries.first > oldest && steps < most)
        steps += entry_at(&entries, --entries.first)->times;
    entries.skipped = steps > most ? steps - most : 0;
    fit->steps = (size_t)(steps - entries.skipped);
    fit->older = newest->count + newest->more - (int64_t)fit->steps;
    return entries;
}

static void step_take(struct swi_advised *fit, const struct swi_newest_step *step, size_t i,
                      int64_t k, double scale)
{
    double times = (double)step->times;
    fit->number[i] = step->number - step->times + 1 + k;
    fit->samples[i] = step->samples / step->times;
    fit->first[i] = step->first && k == 0;
    fit->draw_ns[i] = (double)step->draw * scale / times;
    fit->batch_ns[i] = (double)step->batch * scale / times;
}

static void steps_fill(struct swi_advised *fit, const struct entries *entries, double scale)
{
    size_t i = 0;
    int64_t k = entries->skipped;
    for (int64_t at = entries->first; at < entries->newest->count; at++, k = 0)
        for (const struct swi_newest_step *step = entry_at(entries, at);
             k < step->times && i < fit->steps; k++)
            step_take(fit, step, i++, k, scale);
}

/* Of an action that ran in one of these steps. */
static void action_take(struct swi_advised *fit, const struct entries *entries, int column,
                        double scale)
{
    const struct swi_newest_steps *newest = entries->newest;
    int action = newest->action[column];
    size_t i = 0, last = 0;
    int64_t k = entries->skipped;
    double *ns = fit->batch_ns + (fit->actions + 1) * fit->steps;
    if (newest->last[column] < entries->first)
        return;
    for (int64_t at = entries->first; at < newest->count; at++, k = 0) {
        const struct swi_newest_step *step = entry_at(entries, at);
        for (; k < step->times && i < fit->steps; k++)
            ns[i++] = (double)step->ticks[column] * scale / (double)step->times;
        if (at == newest->last[column] && i)
            last = i - 1;
    }
    fit->action[fit->actions++] = (struct swi_advised_action){
        .name = action == SWI_NEWEST_REST ? SWI_OTHER_ACTIONS : sw_action_name(action),
        .ns = ns,
        .last = last};
}

/* The loop may go on while a run is interrupted: then the oldest steps are overwritten. */
static bool steps_take(struct swi_advised *fit, const struct swi_newest_steps *newest, bool stands,
                       double scale)
{
    const struct entries entries =
        entries_choose(fit, newest, SWI_NEWEST_STEPS - (stands ? 0 : 64));
    int actions = newest->actions;
    if (!arrays_take(fit, fit->steps, (size_t)actions))
        return false;
    steps_fill(fit, &entries, scale);
    for (int column = 0; column < actions; column++)
        action_take(fit, &entries, column, scale);
    fit->all_samples = newest->samples;
    fit->between_ns = (double)newest->between * scale;
    return true;
}

/* ---- memory in use --------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct swi_advised_series *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void one_series_free(struct swi_advised_series *series)
{
    free((void *)series->name);
    swi_curve_free(&series->bytes);
}

/* If out of memory, it is left out. */
static void one_series_take(struct swi_advised *fit, const struct swi_memory_series *from)
{
    struct swi_advised_series series = {.name = strdup(from->name)};
    bool fine = series.name;
    for (size_t i = 0; fine && i < from->bytes.count; i++)
        fine = swi_curve_add(&series.bytes, SWI_MEMORY_POINTS, from->bytes.x[i], from->bytes.y[i]);
    if (fine)
        fit->series[fit->series_count++] = series;
    else
        one_series_free(&series);
}

static void series_take(struct swi_advised *fit, const struct swi_snapshot *snapshot)
{
    struct swi_memory_use *use = snapshot->memory;
    fit->series = calloc(SWI_MEMORY_SERIES, sizeof *fit->series);
    pthread_mutex_lock(&use->lock);
    for (size_t i = 0; fit->series && use->fit == snapshot->fit && i < use->count; i++)
        one_series_take(fit, &use->series[i]);
    pthread_mutex_unlock(&use->lock);
    if (fit->series)
        qsort(fit->series, fit->series_count, sizeof *fit->series, by_name);
}

static void series_free(struct swi_advised *fit)
{
    for (size_t i = 0; i < fit->series_count; i++)
        one_series_free(&fit->series[i]);
    free(fit->series);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static double valid_ns(const struct sw_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if (row->phase_id == SW_PHASE_FIT && row->action_id == SW_VALID)
            return row->total_ns;
    }
    return 0;
}

/* What a replay costs, and where it runs, says nothing of the run. */
static void report_take(struct swi_advised *fit, const struct sw_report *report, bool replayed)
{
    fit->drop_first = report->drop_first_batch;
    fit->all_steps = report->accounting.steps;
    fit->fit_ns = report->fit_ns;
    fit->valid_ns = valid_ns(report);
    fit->other_ns = report->accounting.other_ns;
    fit->counted = !replayed;
    fit->own_ns = report->accounting.own_ns;
    fit->misuses = report->accounting.misuses;
    fit->discarded = report->accounting.discarded;
    fit->preempted = report->preempted;
    fit->waited_ns = report->waited_ns;
    fit->throughput = report->mode == SW_MODE_THROUGHPUT;
    fit->gpu = *report->gpu ? report->gpu : NULL;
}

static void findings_put(struct sw_report *report, const struct swi_findings *findings)
{
    report->finding_count = findings->advice.count;
    report->finding_size = sizeof *report->finding;
    report->finding = findings->advice.finding;
}

static bool apply_rules(struct swi_findings *findings, struct sw_report *report,
                        const struct swi_snapshot *snapshot, const struct swi_newest_steps *newest,
                        bool replayed, bool own_clock)
{
    struct swi_advised fit = {0};
    bool fine = steps_take(&fit, newest, snapshot->complete, report->tick_ns);
    if (fine) {
        series_take(&fit, snapshot);
        report_take(&fit, report, replayed);
        /* By the program's clock nobody knows what stepwatch took. */
        fit.own_ns = own_clock ? fit.own_ns : 0;
        fine = !fit.steps || swi_advise(&findings->advice, &fit);
    }
    series_free(&fit);
    arrays_free(&fit);
    return fine;
}

static int64_t since(int64_t now, int64_t before)
{
    return now < 0 || before < 0 ? -1 : now - before;
}

/* The loop's thread may have ended by now. */
static void preempted_take(struct sw_report *report, const struct swi_snapshot *snapshot)
{
    const struct swi_preemptions *before = &snapshot->preempted_before;
    struct swi_preemptions now = swi_preemptions_of(snapshot->preempted_thread);
    report->preempted = since(now.count, before->count);
    int64_t waited_ns = since(now.waited_ns, before->waited_ns);
    report->waited_ns = waited_ns > 0 ? (double)waited_ns : 0;
}

struct swi_findings *swi_findings_make(struct sw_report *report,
                                       const struct swi_snapshot *snapshot,
                                       const struct swi_newest_steps *newest, bool replayed,
                                       bool own_clock)
{
    struct swi_findings *findings = newest ? calloc(1, sizeof *findings) : NULL;
    if (!findings)
        return NULL;
    atomic_init(&findings->references, 1);
    if (!replayed)
        preempted_take(report, snapshot);
    if (!replayed)
        swi_gpu_runtime(findings->gpu, sizeof findings->gpu);
    report->gpu = findings->gpu;
    if (apply_rules(findings, report, snapshot, newest, replayed, own_clock)) {
        findings_put(report, findings);
        return findings;
    }
    report->gpu = "";
    swi_findings_unref(findings);
    return NULL;
}

struct swi_findings *swi_findings_of_ranks(struct sw_ranks *ranks)
{
    struct swi_findings *findings = calloc(1, sizeof *findings);
    const struct swi_advised_ranks found = {.verdict = ranks->verdict ? ranks->verdict : "",
                                            .sentence = ranks->sentence,
                                            .rank = ranks->slow_rank,
                                            .host = ranks->slow_host,
                                            .action = ranks->slow_action,
                                            .late_ns = ranks->late_ns,
                                            .saved = ranks->gain,
                                            .confidence = ranks->confidence};
    const struct swi_advised run = {.preempted = -1, .ranks = &found};
    ranks->finding_count = 0;
    ranks->finding = NULL;
    if (!findings)
        return NULL;
    atomic_init(&findings->references, 1);
    if (ranks->sentence && swi_advise(&findings->advice, &run)) {
        ranks->finding_count = findings->advice.count;
        ranks->finding_size = sizeof *ranks->finding;
        ranks->finding = findings->advice.finding;
    }
    return findings;
}

struct swi_findings *swi_findings_copy(struct sw_report *report, const struct sw_report *from)
{
    struct swi_findings *findings = calloc(1, sizeof *findings);
    report->finding_count = 0;
    report->finding = NULL;
    report->gpu = "";
    if (!findings)
        return NULL;
    atomic_init(&findings->references, 1);
    if (!swi_advice_copy(&findings->advice, from->finding, from->finding_count,
                         from->finding_size)) {
        swi_findings_unref(findings);
        return NULL;
    }
    snprintf(findings->gpu, sizeof findings->gpu, "%s", from->gpu ? from->gpu : "");
    report->gpu = findings->gpu;
    findings_put(report, findings);
    return findings;
}

struct swi_findings *swi_findings_ref(struct swi_findings *findings)
{
    if (findings)
        atomic_fetch_add(&findings->references, 1);
    return findings;
}

void swi_findings_unref(struct swi_findings *findings)
{
    if (!findings || atomic_fetch_sub(&findings->references, 1) > 1)
        return;
    swi_advice_free(&findings->advice);
    free(findings);
}
