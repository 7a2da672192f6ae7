/* SPDX-License-Identifier: MIT */
/* HELP and TYPE of a family never change: node_exporter drops the series of a second file that has
 * other ones. */
#include "sinks/prometheus/exposition.h"
#include "core/text/characters.h"
#include "core/text/exact_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const phase_names[SWI_PHASES] = {"train", "valid"};

/* ---- a sample -------------------------------------------------------------------------------- */

static void number_add(struct swi_text *text, double value)
{
    swi_text_put(text, " ");
    if (isnan(value))
        swi_text_put(text, "NaN");
    else if (isinf(value))
        swi_text_put(text, value > 0 ? "+Inf" : "-Inf");
    else
        swi_number_exact(text, value);
    swi_text_put(text, "\n");
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
    swi_text_put(text, "}");
    number_add(text, value);
}

static void head(struct swi_text *text, const char *name, const char *type, const char *help)
{
    swi_text_format(text, "# HELP stepwatch_%s %s\n# TYPE stepwatch_%s %s\n", name, help, name,
                    type);
}

static void gauge(struct swi_text *text, const struct swi_families *families, const char *name,
                  const char *help, double value)
{
    head(text, name, "gauge", help);
    series_begin(text, families, name);
    series_end(text, value);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void run_add(struct swi_text *text, const struct swi_families *f)
{
    head(text, "run_info", "gauge", "What run this is; always 1.");
    series_begin(text, f, "run_info");
    label_add(text, "program", f->run->program);
    label_add(text, "version", f->run->version);
    label_add(text, "mode", f->run->mode == SW_MODE_SIMPLE ? "simple" : "throughput");
    series_end(text, 1);
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
        series_begin(text, families, name);
        label_add(text, "phase", phase_names[i]);
        series_end(text, (double)value);
    }
}

static void bucket_add(struct swi_text *text, const struct swi_families *families, int phase,
                       double bound, int64_t count)
{
    series_begin(text, families, "step_duration_seconds_bucket");
    label_add(text, "phase", phase_names[phase]);
    swi_text_put(text, ",le=\"");
    if (isinf(bound))
        swi_text_put(text, "+Inf");
    else
        swi_number_exact(text, bound);
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
    series_begin(text, families, "step_duration_seconds_sum");
    label_add(text, "phase", phase_names[phase]);
    series_end(text, (double)steps->ns / 1e9);
    series_begin(text, families, "step_duration_seconds_count");
    label_add(text, "phase", phase_names[phase]);
    series_end(text, (double)count);
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

static void action_add(struct swi_text *text, const struct swi_families *families, const char *name,
                       const char *action, int phase, double value)
{
    series_begin(text, families, name);
    label_add(text, "phase", phase_names[phase]);
    label_add(text, "action", action);
    series_end(text, value);
}

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
                action_add(text, families, name, actions->names.shown.name[i].text, phase,
                           calls ? (double)total->calls[phase] : (double)total->ns[phase] / 1e9);
        }
}

static void newest_add(struct swi_text *text, const struct swi_families *families, const char *name,
                       const char *help, const char *label, const struct swi_newest_list *list)
{
    if (list->names.shown.count)
        head(text, name, "gauge", help);
    for (size_t i = 0; i < list->names.shown.count; i++) {
        series_begin(text, families, name);
        label_add(text, label, list->names.shown.name[i].text);
        series_end(text, list->value[i]);
    }
}

static void counter(struct swi_text *text, const struct swi_families *families, const char *name,
                    const char *help, int64_t value)
{
    head(text, name, "counter", help);
    series_begin(text, families, name);
    series_end(text, (double)value);
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
    counter(text, families, "records_dropped_total", "Records that could not be kept.",
            families->records_dropped);
    counter(text, families, "series_dropped_total",
            "Names beyond the option `series`, which are not shown.",
            swi_families_dropped(families));
}
