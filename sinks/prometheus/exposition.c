/* SPDX-License-Identifier: MIT */
/* HELP and TYPE of a family never change: node_exporter drops the series of a second file that has
 * other ones. */
#include "sinks/prometheus/exposition.h"

#include "core/text/characters.h"
#include "core/text/exact_number.h"
#include "core/text/map.h"
#include "sinks/common/sample_names.h"
#include "sinks/common/step_groups.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the names that are shown, up to a number of them, and how many others there are --------- */

/* Returns the item of a name, or NULL if it is not shown. items: as for swi_map_item(). */
static void *shown_item(struct swi_shown_names *names, void *items, size_t item_size,
                        const char *name)
{
    size_t size = strlen(name);
    if (names->shown.count < names->most || swi_map_find(&names->shown, name, size) >= 0)
        return swi_map_item(&names->shown, items, item_size, name, size);
    if (names->others.count < SWI_DROPPED_MOST) {
        uint64_t hash = swi_hash64(SWI_HASH64_BEGIN, name);
        (void)swi_map_add(&names->others, &hash, sizeof hash);
    }
    return NULL;
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

/* Returns how many names are not shown. */
static int64_t families_dropped(const struct swi_families *families)
{
    return (int64_t)(families->metric.names.others.count + families->throughput.names.others.count +
                     families->action.names.others.count);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void newest_set(struct swi_newest_list *list, const char *name, double value)
{
    double *item = shown_item(&list->names, &list->value, sizeof *item, name);
    if (item)
        *item = value;
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

static void part_take(struct swi_families *families, int phase, const struct sw_step_part *part,
                      int64_t steps)
{
    struct swi_actions *actions = &families->action;
    struct swi_action_total *total =
        shown_item(&actions->names, &actions->total, sizeof *total,
                   swi_clean_name(&families->action_names, part->action));
    if (!total)
        return;
    total->calls[phase] += steps;
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
    int64_t ns = step_ns(step), count = swi_step_count(step);
    size_t bucket = 0;
    while (bucket < families->bounds && (double)ns / 1e9 > families->bound[bucket])
        bucket++;
    steps->bucket[bucket] += count;
    steps->steps += count;
    add(&steps->samples, swi_step_sum(step)->samples);
    add(&steps->ns, step_ns(swi_step_sum(step)));
}

static void step_take(struct swi_families *families, const struct sw_record *record)
{
    const struct sw_step *step = record->step_done;
    int phase = step->phase == SW_PHASE_VALID;
    for (size_t i = 0; i < step->count; i++)
        part_take(families, phase, sw_step_part_at(swi_step_sum(step), i), swi_step_count(step));
    if (step->samples < 0)
        families->phase[phase].cancelled += swi_step_count(step);
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
                           !swi_is_sample(record));
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

/* ---- the page -------------------------------------------------------------------------------- */

static const char *const phase_names[SWI_PHASES] = {"train", "valid"};

/* ---- a sample -------------------------------------------------------------------------------- */

static void number_add(struct swi_text *text, double value)
{
    if (isnan(value))
        swi_text_put(text, "NaN");
    else if (isinf(value))
        swi_text_put(text, value > 0 ? "+Inf" : "-Inf");
    else
        swi_number_exact(text, value);
}

/* One byte that is not UTF-8 would lose the whole page, so it becomes \xNN. */
static void label_value_add(struct swi_text *text, const char *value)
{
    char *repaired = swi_utf8_repair(value, strlen(value));
    for (const char *c = repaired ? repaired : ""; *c; c++)
        if (*c == '\n')
            swi_text_put(text, "\\n");
        else if (*c == '\\' || *c == '"')
            swi_text_format(text, "\\%c", *c);
        else
            swi_text_add(text, c, 1);
    free(repaired);
}

static void label_add(struct swi_text *text, const char *name, const char *value)
{
    swi_text_format(text, ",%s=\"", name);
    label_value_add(text, value);
    swi_text_put(text, "\"");
}

/* The name of a series, and the labels that all have. */
static void series_begin(struct swi_text *text, const struct swi_families *families,
                         const char *name)
{
    swi_text_format(text, "stepwatch_%s{run=\"", name);
    label_value_add(text, families->name);
    swi_text_format(text, "\",rank=\"%lld\"", (long long)families->run->rank);
}

static void series_end(struct swi_text *text, double value)
{
    swi_text_put(text, "} ");
    number_add(text, value);
    swi_text_put(text, "\n");
}

/* label: names and values of the further ones, in turn; NULL ends them. */
static void series(struct swi_text *text, const struct swi_families *families, const char *name,
                   const char *const *label, double value)
{
    series_begin(text, families, name);
    for (; *label; label += 2)
        label_add(text, label[0], label[1]);
    series_end(text, value);
}

#define LABELS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void head(struct swi_text *text, const char *name, const char *type, const char *help)
{
    swi_text_format(text, "# HELP stepwatch_%s %s\n# TYPE stepwatch_%s %s\n", name, help, name,
                    type);
}

/* A family of one series. */
static void single(struct swi_text *text, const struct swi_families *families, const char *name,
                   const char *type, const char *help, double value)
{
    head(text, name, type, help);
    series(text, families, name, (const char *const[]){NULL}, value);
}

static void gauge(struct swi_text *text, const struct swi_families *families, const char *name,
                  const char *help, double value)
{
    single(text, families, name, "gauge", help, value);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void run_add(struct swi_text *text, const struct swi_families *f)
{
    head(text, "run_info", "gauge", "What run this is; always 1.");
    series(text, f, "run_info",
           LABELS("program", f->run->program, "version", f->run->version, "mode",
                  f->run->mode == SW_MODE_SIMPLE ? "simple" : "throughput"),
           1);
    gauge(text, f, "run_start_time_seconds", "When the run began, since 1970.", f->run->started_s);
    gauge(text, f, "run_end_time_seconds", "When the run ended, since 1970; 0 while it runs.",
          f->ended_s);
    gauge(text, f, "run_exit_status",
          "Exit status of the program, 128 + N after signal N; -1 while it runs.", f->exit_status);
    gauge(text, f, "step", "Number of the newest training step, from 0.", (double)f->step);
    gauge(text, f, "steps_expected",
          "Training steps that the program said it will do; 0 is unknown.",
          (double)f->steps_expected);
    gauge(text, f, "epoch", "Number of the newest epoch, from 0.", (double)f->epoch);
    gauge(text, f, "last_step_timestamp_seconds", "When the newest step ended, since 1970.",
          f->last_step_s);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void phases_add(struct swi_text *text, const struct swi_families *families, const char *name,
                       const char *help, size_t offset)
{
    head(text, name, "counter", help);
    for (int i = 0; i < SWI_PHASES; i++) {
        int64_t value;
        memcpy(&value, (const char *)&families->phase[i] + offset, sizeof value);
        series(text, families, name, LABELS("phase", phase_names[i]), (double)value);
    }
}

static void bucket_add(struct swi_text *text, const struct swi_families *families, int phase,
                       double bound, int64_t count)
{
    series_begin(text, families, "step_duration_seconds_bucket");
    label_add(text, "phase", phase_names[phase]);
    swi_text_put(text, ",le=\"");
    number_add(text, bound);
    swi_text_put(text, "\"");
    series_end(text, (double)count);
}

static void durations_add(struct swi_text *text, const struct swi_families *families, int phase)
{
    const struct swi_phase_steps *steps = &families->phase[phase];
    int64_t count = 0;
    for (size_t i = 0; i <= families->bounds; i++) {
        count += steps->bucket[i];
        bucket_add(text, families, phase, i < families->bounds ? families->bound[i] : INFINITY,
                   count);
    }
    series(text, families, "step_duration_seconds_sum", LABELS("phase", phase_names[phase]),
           (double)steps->ns / 1e9);
    series(text, families, "step_duration_seconds_count", LABELS("phase", phase_names[phase]),
           (double)count);
}

static void steps_add(struct swi_text *text, const struct swi_families *families)
{
    phases_add(text, families, "steps_total", "Finished batches.",
               offsetof(struct swi_phase_steps, steps));
    phases_add(text, families, "samples_total", "Samples of finished batches.",
               offsetof(struct swi_phase_steps, samples));
    phases_add(text, families, "steps_cancelled_total", "Batches that were cancelled.",
               offsetof(struct swi_phase_steps, cancelled));
    head(text, "step_duration_seconds", "histogram", "Duration of steps, draw and batch together.");
    for (int i = 0; i < SWI_PHASES; i++)
        durations_add(text, families, i);
}

/* ---- actions and values ---------------------------------------------------------------------- */

static void actions_add(struct swi_text *text, const struct swi_families *families,
                        const char *name, const char *help, bool calls)
{
    const struct swi_actions *actions = &families->action;
    if (actions->names.shown.count)
        head(text, name, "counter", help);
    for (int phase = 0; phase < SWI_PHASES; phase++)
        for (size_t i = 0; i < actions->names.shown.count; i++) {
            const struct swi_action_total *total = &actions->total[i];
            if (total->calls[phase])
                series(text, families, name,
                       LABELS("phase", phase_names[phase], "action",
                              actions->names.shown.name[i].text),
                       calls ? (double)total->calls[phase] : (double)total->ns[phase] / 1e9);
        }
}

static void newest_add(struct swi_text *text, const struct swi_families *families, const char *name,
                       const char *help, const char *label, const struct swi_newest_list *list)
{
    if (list->names.shown.count)
        head(text, name, "gauge", help);
    for (size_t i = 0; i < list->names.shown.count; i++)
        series(text, families, name, LABELS(label, list->names.shown.name[i].text), list->value[i]);
}

void swi_exposition(struct swi_text *text, const struct swi_families *families)
{
    run_add(text, families);
    steps_add(text, families);
    actions_add(text, families, "action_seconds_total", "Time spent in an action.", false);
    actions_add(text, families, "action_calls_total", "Calls of an action.", true);
    newest_add(text, families, "throughput_samples_per_second", "Rolling average of the profiler.",
               "action", &families->throughput);
    newest_add(text, families, "metric", "Newest value of what the program logs, by its name.",
               "name", &families->metric);
    single(text, families, "records_dropped_total", "counter", "Records that could not be kept.",
           (double)families->records_dropped);
    single(text, families, "series_dropped_total", "counter",
           "Names beyond the option `series`, which are not shown.",
           (double)families_dropped(families));
}
