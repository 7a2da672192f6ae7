/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/families.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

static const double default_bounds[] = {1e-5, 2.5e-5, 5e-5,   1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3,
                                        5e-3, 1e-2,   2.5e-2, 5e-2, 0.1,    0.25, 0.5,  1,
                                        2.5,  5,      10,     25,   50,     100,  250,  500};

void swi_families_init(struct swi_families *families, const struct sw_run *run, const char *name,
                       int64_t series_most)
{
    families->run = run;
    families->name = name;
    families->exit_status = -1;
    families->series_most = (size_t)series_most;
    if (families->bounds)
        return;
    families->bounds = sizeof default_bounds / sizeof *default_bounds;
    memcpy(families->bound, default_bounds, sizeof default_bounds);
}

static void list_free(struct swi_newest_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->item[i].name);
    free(list->item);
}

void swi_families_free(struct swi_families *families)
{
    for (size_t i = 0; i < families->actions; i++)
        free(families->action[i].action);
    free(families->action);
    list_free(&families->metric);
    list_free(&families->throughput);
}

/* ---- values ------------------------------------------------------------------------------------
 */

/* Room for one more element; false if out of memory. */
static bool grow(void **array, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*array, more * size);
    if (!grown)
        return false;
    *array = grown;
    *room = more;
    return true;
}

/* The entry of a name; NULL if there are too many names, or no memory. */
static struct swi_newest *newest_of(struct swi_families *families, struct swi_newest_list *list,
                                    const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i].name, name) == 0)
            return &list->item[i];
    void *item = list->item;
    bool fits = list->count < families->series_most &&
                grow(&item, &list->room, list->count, sizeof *list->item);
    list->item = item;
    char *copy = fits ? strdup(name) : NULL;
    if (!copy) {
        families->series_dropped++;
        return NULL;
    }
    list->item[list->count] = (struct swi_newest){.name = copy};
    return &list->item[list->count++];
}

/* Of the profiler's own averages, rates are shown by action; times are in the counters already. */
static void metric_take(struct swi_families *families, const struct sw_metric *metric)
{
    static const char rate[] = "throughput/";
    struct swi_newest *newest = NULL;
    if (metric->by != SW_BY_PROFILER)
        newest = newest_of(families, &families->metric, metric->name);
    else if (strncmp(metric->name, rate, sizeof rate - 1) == 0)
        newest = newest_of(families, &families->throughput, metric->name + sizeof rate - 1);
    if (newest)
        newest->value = metric->value;
}

/* ---- steps -------------------------------------------------------------------------------------
 */

static struct swi_action_total *action_of(struct swi_families *families, int phase,
                                          const char *action)
{
    for (size_t i = 0; i < families->actions; i++)
        if (families->action[i].phase == phase && strcmp(families->action[i].action, action) == 0)
            return &families->action[i];
    void *array = families->action;
    bool fits = families->actions < families->series_most &&
                grow(&array, &families->action_room, families->actions, sizeof *families->action);
    families->action = array;
    char *copy = fits ? strdup(action) : NULL;
    if (!copy) {
        families->series_dropped++;
        return NULL;
    }
    families->action[families->actions] = (struct swi_action_total){.action = copy, .phase = phase};
    return &families->action[families->actions++];
}

static void part_take(struct swi_families *families, int phase, const struct sw_step_part *part)
{
    struct swi_action_total *total = action_of(families, phase, part->action);
    if (!total)
        return;
    total->calls++;
    if (!part->inner)
        total->ns += part->duration_ns;
}

static int64_t step_ns(const struct sw_step *step)
{
    int64_t ns = 0;
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        if (part->action_id == SW_DRAW || part->action_id == SW_BATCH)
            ns += part->duration_ns;
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
    if (__builtin_add_overflow(steps->samples, step->samples, &steps->samples))
        steps->samples = INT64_MAX;
    steps->ns += ns;
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
    families->last_step_s = record->wall_s;
}

void swi_families_record(struct swi_families *families, const struct sw_record *record)
{
    families->step = record->step;
    families->steps_expected = record->steps_expected;
    families->epoch = record->epoch;
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
