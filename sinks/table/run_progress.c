/* SPDX-License-Identifier: MIT */
#include "sinks/table/table_sink.h"
#include "core/text/parts.h"
#include "sinks/common/sample_names.h"
#include "sinks/common/step_groups.h"

#include <stepwatch/stepwatch.h>

#include <stddef.h>
#include <string.h>

void swi_progress_init(struct swi_run_progress *progress, const char *const *chosen)
{
    *progress = (struct swi_run_progress){.chosen = chosen, .valid_begun_ns = -1};
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* Returns the kind of a metric, from 0: what people look at first. */
static uint64_t kind_of(const char *name)
{
    static const char *const ends[] = {"loss", "accuracy", "acc", "top1", "f1"};
    enum { ENDS = sizeof ends / sizeof *ends };
    for (uint64_t i = 0; i < ENDS; i++)
        if (swi_ends(name, ends[i]))
            return i;
    return ENDS;
}

#define NOT_SHOWN UINT64_MAX

/* Returns its place among the chosen metrics. */
static uint64_t place_chosen(const char *const *chosen, const char *name)
{
    for (uint64_t i = 0; chosen[i]; i++)
        if (strcmp(chosen[i], name) == 0)
            return i;
    return NOT_SHOWN;
}

/* Orders by kind; within a kind, train before valid, then by when they were first logged. */
static uint64_t order_of(const struct swi_run_progress *progress, const char *name)
{
    if (progress->chosen)
        return place_chosen(progress->chosen, name);
    uint64_t is_valid = strncmp(name, "val", 3) == 0;
    return kind_of(name) << 41 | is_valid << 40 | progress->metrics_seen;
}

static struct swi_shown_metric *metric_find(struct swi_run_progress *progress, const char *name)
{
    for (size_t i = 0; i < progress->metric_count; i++)
        if (strncmp(progress->metric[i].name, name, SWI_METRIC_NAME - 1) == 0)
            return &progress->metric[i];
    return NULL;
}

/* Handles a metric that is new or is not among the shown ones. */
static void metric_add(struct swi_run_progress *progress, const char *name, double value)
{
    uint64_t order = order_of(progress, name);
    size_t at = progress->metric_count;
    progress->metrics_seen++;
    while (at > 0 && progress->metric[at - 1].order > order)
        at--;
    if (order == NOT_SHOWN || at == SWI_SHOWN_METRICS)
        return;
    if (progress->metric_count < SWI_SHOWN_METRICS)
        progress->metric_count++;
    memmove(&progress->metric[at + 1], &progress->metric[at],
            (progress->metric_count - at - 1) * sizeof *progress->metric);
    struct swi_shown_metric *metric = &progress->metric[at];
    *metric = (struct swi_shown_metric){.order = order, .value = value};
    strncpy(metric->name, name, sizeof metric->name - 1);
}

static void metrics_take(struct swi_run_progress *progress, const struct sw_record *record)
{
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (metric->by != SW_BY_USER)
            continue;
        struct swi_shown_metric *shown = metric_find(progress, metric->name);
        if (shown)
            shown->value = metric->value;
        else
            metric_add(progress, metric->name, metric->value);
    }
}

/* ---- monitors -------------------------------------------------------------------------------- */

static bool is_gpu_load(const char *name)
{
    static const char before[] = "gpu/", after[] = "/utilization_percent";
    size_t begin = sizeof before - 1, digits = strspn(name + strnlen(name, begin), "0123456789");
    return strncmp(name, before, begin) == 0 && digits && strcmp(name + begin + digits, after) == 0;
}

/* Of a value that a sample lacks, the newest one stays. */
static void sample_take(struct swi_shown_machine *machine, const struct sw_record *record)
{
    double load = 0;
    int gpus = 0;
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (strcmp(metric->name, "process/cpu_percent") == 0)
            machine->cpu_percent = metric->value;
        else if (strcmp(metric->name, "process/rss_bytes") == 0 && metric->value < 9e18)
            machine->rss_bytes = (int64_t)metric->value;
        else if (is_gpu_load(metric->name)) {
            load += metric->value;
            gpus++;
        }
    }
    machine->gpu_percent = gpus ? load / gpus : machine->gpu_percent;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void step_take(struct swi_run_progress *progress, const struct sw_record *record)
{
    const struct sw_step *sum = swi_step_sum(record->step_done);
    if (sum->phase != SW_PHASE_TRAIN || sum->samples < 0)
        return;
    progress->steps += swi_step_count(record->step_done);
    if (__builtin_add_overflow(progress->samples, sum->samples, &progress->samples))
        progress->samples = INT64_MAX;
}

/* Returns whether an epoch has ended. */
static bool mark_take(struct swi_run_progress *progress, const struct sw_record *record)
{
    const struct sw_region *region = sw_record_region(record, 0);
    bool begins = region->event == SW_REGION_BEGIN;
    if (region->action_id == SW_VALID && begins) {
        progress->valid_begun_ns = record->time_ns;
    } else if (region->action_id == SW_VALID && progress->valid_begun_ns >= 0) {
        progress->valid_ns += record->time_ns - progress->valid_begun_ns;
        progress->valid_begun_ns = -1;
    }
    if (region->action_id == SW_VALID)
        progress->validating = begins;
    return region->action_id == SW_EPOCH && region->event == SW_REGION_END;
}

int64_t swi_progress_valid_ns(const struct swi_run_progress *progress)
{
    int64_t open = progress->valid_begun_ns < 0 ? 0 : progress->time_ns - progress->valid_begun_ns;
    return progress->valid_ns + (open > 0 ? open : 0);
}

/* Notes where the loop is. With a record of a value or a step, that step is finished. */
static void place_take(struct swi_run_progress *progress, const struct sw_record *record)
{
    progress->epoch = record->epoch;
    if (record->step_source == SW_STEP_OF_LOOP)
        progress->done = record->step + 1;
    progress->validating = record->phase == SW_PHASE_VALID;
    if (record->samples_per_s > 0)
        progress->rate = record->samples_per_s;
    if (progress->begun)
        return;
    progress->begun = true;
    progress->first_ns = record->time_ns;
    progress->first_done = progress->done;
}

bool swi_progress_take(struct swi_run_progress *progress, const struct sw_record *record)
{
    progress->time_ns = record->time_ns;
    if (record->steps_expected > 0)
        progress->expected = record->steps_expected;
    if (swi_is_sample(record)) {
        sample_take(&progress->machine, record);
        return false;
    }
    if (record->type == SW_RECORD_MARK)
        return mark_take(progress, record);
    if (record->type == SW_RECORD_STEP)
        step_take(progress, record);
    else if (record->type == SW_RECORD_METRICS)
        metrics_take(progress, record);
    if (record->type == SW_RECORD_STEP || record->type == SW_RECORD_METRICS)
        place_take(progress, record);
    return false;
}

/* ---- when a log gets a line ------------------------------------------------------------------ */

#define SECOND INT64_C(1000000000)

/* In seconds. After the last one, the interval stays the same. */
static const int64_t ladder[] = {10, 30, 60, 120, 300, 600};
enum { RUNGS = sizeof ladder / sizeof *ladder };
#define LONGEST (600 * SECOND)

/* Returns the first time of a line after now. */
static int64_t next_of(const struct swi_progress_times *times, int64_t now_ns)
{
    if (times->interval_ns > 0)
        return (now_ns / times->interval_ns + 1) * times->interval_ns;
    for (size_t i = 0; i < RUNGS; i++)
        if (ladder[i] * SECOND > now_ns)
            return ladder[i] * SECOND;
    return (now_ns / LONGEST + 1) * LONGEST;
}

void swi_progress_times_init(struct swi_progress_times *times, int64_t interval_ns)
{
    *times = (struct swi_progress_times){.interval_ns = interval_ns};
    times->due_ns = next_of(times, 0);
}

/* The end of an epoch gets a line if the last line is at least a minute, and a quarter of the run,
 * old. */
static bool epoch_is_due(const struct swi_progress_times *times, int64_t now_ns)
{
    if (times->interval_ns != SWI_PROGRESS_AUTO)
        return times->interval_ns == 0;
    int64_t least = now_ns / 4 < LONGEST ? now_ns / 4 : LONGEST;
    least = least > 60 * SECOND ? least : 60 * SECOND;
    return now_ns - times->last_ns >= least;
}

bool swi_progress_due(struct swi_progress_times *times, int64_t now_ns, bool epoch_ended)
{
    bool timed = times->interval_ns && now_ns >= times->due_ns;
    if (!timed && !(epoch_ended && epoch_is_due(times, now_ns)))
        return false;
    if (timed)
        times->due_ns = next_of(times, now_ns);
    times->last_ns = now_ns;
    return true;
}
