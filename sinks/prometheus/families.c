/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/families.h"

#include "core/text/hash.h"
#include "core/text/vec.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

/* ---- the names that are shown, up to a number of them, and how many others there are --------- */

/* Returns the index of a name, from 0, or -1 if it is not shown. */
static ptrdiff_t shown_names_at(struct swi_shown_names *names, const char *name)
{
    size_t size = strlen(name);
    ptrdiff_t number = names->shown.count < names->most ? swi_map_add(&names->shown, name, size)
                                                        : swi_map_find(&names->shown, name, size);
    if (number < 0 && names->others.count < SWI_DROPPED_MOST) {
        uint64_t hash = swi_hash64(SWI_HASH64_BEGIN, name);
        (void)swi_map_add(&names->others, &hash, sizeof hash);
    }
    return number;
}

static void shown_names_free(struct swi_shown_names *names)
{
    swi_map_free(&names->shown);
    swi_map_free(&names->others);
}

/* ---- what Prometheus gets of a run: counters that only grow, and the newest values ----------- */

static const double default_bounds[] = {1e-5, 2.5e-5, 5e-5,   1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3,
                                        5e-3, 1e-2,   2.5e-2, 5e-2, 0.1,    0.25, 0.5,  1,
                                        2.5,  5,      10,     25,   50,     100,  250,  500};

void swi_families_init(struct swi_families *families, const struct sw_run *run, const char *name,
                       int64_t series_most)
{
    families->run = run;
    families->name = name;
    families->exit_status = -1;
    families->metric.names.most = families->throughput.names.most = families->action.names.most =
        (size_t)series_most;
    if (families->bounds)
        return;
    families->bounds = sizeof default_bounds / sizeof *default_bounds;
    memcpy(families->bound, default_bounds, sizeof default_bounds);
}

static void list_free(struct swi_newest_list *list)
{
    shown_names_free(&list->names);
    free(list->value);
}

void swi_families_free(struct swi_families *families)
{
    swi_clean_names_free(&families->metric_names);
    swi_clean_names_free(&families->action_names);
    shown_names_free(&families->action.names);
    free(families->action.total);
    list_free(&families->metric);
    list_free(&families->throughput);
}

int64_t swi_families_dropped(const struct swi_families *families)
{
    return (int64_t)(families->metric.names.others.count + families->throughput.names.others.count +
                     families->action.names.others.count);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Makes room for the value before its name, so that each name has one. */
static void newest_set(struct swi_newest_list *list, const char *name, double value)
{
    bool fits =
        swi_vec_grow(&list->value, list->names.shown.count, &list->room, sizeof *list->value);
    ptrdiff_t index = fits ? shown_names_at(&list->names, name) : -1;
    if (index >= 0)
        list->value[index] = value;
}

/* Of the profiler's own averages, rates are shown by action; times are in the counters already. */
static void metric_take(struct swi_families *families, const struct sw_metric *metric)
{
    static const char rate[] = "throughput/";
    if (metric->by != SW_BY_PROFILER)
        newest_set(&families->metric, swi_clean_name(&families->metric_names, metric->name),
                   metric->value);
    else if (strncmp(metric->name, rate, sizeof rate - 1) == 0)
        newest_set(&families->throughput,
                   swi_clean_name(&families->action_names, metric->name + sizeof rate - 1),
                   metric->value);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Adds up to the largest number at most: a program may claim anything. */
static void add(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

/* Returns NULL if the action is not shown. */
static struct swi_action_total *action_of(struct swi_actions *actions, const char *name)
{
    size_t before = actions->names.shown.count;
    bool fits = swi_vec_grow(&actions->total, before, &actions->room, sizeof *actions->total);
    ptrdiff_t index = fits ? shown_names_at(&actions->names, name) : -1;
    if (index < 0)
        return NULL;
    if (actions->names.shown.count > before)
        actions->total[index] = (struct swi_action_total){.calls = {0}};
    return &actions->total[index];
}

static void part_take(struct swi_families *families, int phase, const struct sw_step_part *part)
{
    struct swi_action_total *total =
        action_of(&families->action, swi_clean_name(&families->action_names, part->action));
    if (!total)
        return;
    total->calls[phase]++;
    if (!part->inner)
        add(&total->ns[phase], part->duration_ns);
}

static int64_t step_ns(const struct sw_step *step)
{
    int64_t ns = 0;
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        if (part->action_id == SW_DRAW || part->action_id == SW_BATCH)
            add(&ns, part->duration_ns);
    }
    return ns;
}

static void finished_take(struct swi_families *families, struct swi_phase_steps *steps,
                          const struct sw_step *step)
{
    int64_t ns = step_ns(step);
    size_t bucket = 0;
    while (bucket < families->bounds && (double)ns / 1e9 > families->bound[bucket])
        bucket++;
    steps->bucket[bucket]++;
    steps->steps++;
    add(&steps->samples, step->samples);
    add(&steps->ns, ns);
}

static void step_take(struct swi_families *families, const struct sw_record *record)
{
    const struct sw_step *step = record->step_done;
    int phase = step->phase == SW_PHASE_VALID;
    for (size_t i = 0; i < step->count; i++)
        part_take(families, phase, sw_step_part_at(step, i));
    if (step->samples < 0)
        families->phase[phase].cancelled++;
    else
        finished_take(families, &families->phase[phase], step);
    /* Not of other records: after an epoch, they belong to the next one, which may never begin. */
    families->epoch = record->epoch;
    families->last_step_s = record->wall_s;
}

/* Returns whether the record says how far the loop is. A batch that is cancelled has the number of
 * the next one, which may never be finished, what a monitor has sampled may arrive late, and a
 * value may have a step of its own. */
static bool tells_step(const struct sw_record *record)
{
    if (record->step_done)
        return record->step_done->samples >= 0;
    return record->end || (record->metrics.count && record->step_source == SW_STEP_OF_LOOP &&
                           sw_record_metric(record, 0)->by != SW_BY_MONITOR);
}

void swi_families_record(struct swi_families *families, const struct sw_record *record)
{
    if (tells_step(record))
        families->step = record->step;
    families->steps_expected = record->steps_expected;
    for (size_t i = 0; i < record->metrics.count; i++)
        metric_take(families, sw_record_metric(record, i));
    if (record->step_done)
        step_take(families, record);
    if (record->lost)
        families->records_dropped += record->lost->metrics + record->lost->steps;
    if (record->end) {
        families->ended_s = record->wall_s;
        families->exit_status =
            record->end->signal ? 128 + record->end->signal : record->end->exit_status;
    }
}
