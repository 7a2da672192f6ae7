/* SPDX-License-Identifier: MIT */
/* history.c - one row for each step. The service renumbers a row whose step is not larger than the
 * one before, so a row is held until its step is over. Until then the file ends with a draft of it,
 * in case the program is killed. */
#include "sinks/wandb/wandb_sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the summary keeps of a metric ------------------------------------------------------ */

/* What the summary has of each metric: its last value, what a rule of sw_define()
 * says, or what sw_summary() set. */

/* ---- metrics --------------------------------------------------------------------------------- */

static const struct swi_kept_metric *metric_find(const struct swi_kept_values *kept,
                                                 const char *name)
{
    ptrdiff_t number = swi_map_find(&kept->names, name, strlen(name));
    return number < 0 ? NULL : &kept->metric[number];
}

/* Takes a value of a metric. of: what it is the mean of; NULL: it is one value. */
static void kept_take(struct swi_kept_values *kept, const char *name, double value,
                      const struct swi_thinned *of)
{
    const struct swi_thinned one = {
        .count = isfinite(value), .min = value, .max = value, .last = value};
    size_t before = kept->names.count;
    struct swi_kept_metric *metric =
        swi_map_item(&kept->names, &kept->metric, sizeof *metric, name, strlen(name));
    if (!metric)
        return;
    if (kept->names.count > before)
        *metric = (struct swi_kept_metric){.name = kept->names.name[before].text,
                                           .first = value,
                                           .min = INFINITY,
                                           .max = -INFINITY};
    of = of ? of : &one;
    metric->last = of->last;
    if (!of->count)
        return;
    metric->min = of->min < metric->min ? of->min : metric->min;
    metric->max = of->max > metric->max ? of->max : metric->max;
    metric->sum += value * (double)of->count;
    metric->finite += of->count;
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void part_put(struct swi_text *json, const char *key, double value)
{
    swi_text_format(json, "%s\"%s\":", json->size ? "," : "{", key);
    swi_json_number(json, value);
}

static void parts_put(struct swi_text *json, const struct swi_kept_metric *metric, unsigned keep)
{
    if (keep & SW_KEEP_MIN)
        part_put(json, "min", metric->finite ? metric->min : NAN);
    if (keep & SW_KEEP_MAX)
        part_put(json, "max", metric->finite ? metric->max : NAN);
    if (keep & SW_KEEP_MEAN)
        part_put(json, "mean", metric->sum / (double)metric->finite);
    if (keep & SW_KEEP_LAST)
        part_put(json, "last", metric->last);
    if (keep & SW_KEEP_FIRST)
        part_put(json, "first", metric->first);
    swi_text_put(json, "}");
}

static unsigned keep_of(const struct swi_kept_values *kept, const char *name)
{
    const struct swi_stored_rule *rule = swi_defined_rules_find(&kept->rules, name, strlen(name));
    return rule ? rule->keep : 0;
}

bool swi_kept_value(const struct swi_kept_values *kept, const struct swi_kept_metric *metric,
                    struct swi_text *json)
{
    unsigned keep = keep_of(kept, metric->name);
    if (keep & SW_KEEP_NONE)
        return false;
    if (keep)
        parts_put(json, metric, keep);
    else
        swi_json_number(json, metric->last);
    return true;
}

/* Returns whether the summary is just the last values. */
static bool kept_plainly(const struct swi_kept_values *kept)
{
    return !kept->kept_by_rules && !kept->own.count;
}

static void copy(struct swi_fields *summary, const char *key, const struct swi_text *value)
{
    struct swi_text *json = swi_fields_set(summary, key);
    if (json)
        swi_text_add(json, value->data, value->size);
}

/* What sw_summary() set is repeated, because readers take a value of a row for the newer one. */
static void field_take(struct swi_kept_values *kept, const struct swi_field *field,
                       struct swi_fields *summary)
{
    const struct swi_text *own = swi_fields_get(&kept->own, field->key);
    unsigned keep = own ? 0 : keep_of(kept, field->key);
    const struct swi_kept_metric *metric = keep ? metric_find(kept, field->key) : NULL;
    if (!metric) {
        copy(summary, field->key, own ? own : &field->json);
        return;
    }
    struct swi_text *json = keep & SW_KEEP_NONE ? NULL : swi_fields_set(summary, field->key);
    if (json)
        parts_put(json, metric, keep);
}

static void kept_row(struct swi_kept_values *kept, const struct swi_fields *row,
                     struct swi_fields *summary)
{
    if (kept_plainly(kept)) {
        swi_fields_merge(summary, row);
        return;
    }
    for (size_t i = 0; i < row->count; i++)
        field_take(kept, &row->item[i], summary);
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Adds the last value of each axis that a metric of the row has and the row itself lacks. */
static void kept_axes(const struct swi_kept_values *kept, struct swi_fields *row)
{
    size_t count = kept->rules.count ? row->count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct swi_field *field = &row->item[i];
        const struct swi_stored_rule *rule =
            swi_defined_rules_find(&kept->rules, field->key, field->key_size);
        const struct swi_kept_metric *axis = NULL;
        if (rule && rule->axis && !swi_fields_has(row, rule->axis))
            axis = metric_find(kept, rule->axis);
        if (axis)
            swi_fields_number(row, rule->axis, axis->last);
    }
}

void swi_kept_fini(struct swi_kept_values *kept)
{
    swi_map_free(&kept->names);
    free(kept->metric);
    swi_fields_free(&kept->own);
    swi_defined_rules_fini(&kept->rules);
    *kept = (struct swi_kept_values){0};
}

static void runtime_set(struct swi_fields *row, const struct wandb *w)
{
    if (w->last_ns >= 0)
        swi_fields_decimal(row, "_runtime", w->last_ns, 9);
    else
        swi_fields_number(row, "_runtime", (double)w->last_ns * 1e-9);
}

/* A time of today is exact to a quarter of a microsecond. */
static void timestamp_set(struct swi_fields *row, double wall_s)
{
    if (wall_s >= 0 && wall_s < 1e12)
        swi_fields_decimal(row, "_timestamp", (int64_t)(wall_s * 1e6 + 0.5), 6);
    else
        swi_fields_number(row, "_timestamp", wall_s);
}

static void stamp(struct wandb *w)
{
    swi_fields_integer(&w->row, "_step", w->step);
    runtime_set(&w->row, w);
    timestamp_set(&w->row, w->row_wall_s);
}

void swi_wandb_row_draft(struct wandb *w)
{
    if (!w->open)
        return;
    kept_axes(&w->kept, &w->row);
    stamp(w);
    bool plain = kept_plainly(&w->kept);
    swi_fields_clear(&w->drafted);
    if (!plain)
        kept_row(&w->kept, &w->row, &w->drafted);
    swi_records_draft(&w->records, &w->row, plain ? &w->row : &w->drafted, w->step);
}

/* ---- rows that are too long ------------------------------------------------------------------ */

/* With the quotes, colon and comma of each member. Keys may be longer in JSON. */
static size_t json_size(const struct swi_fields *row)
{
    size_t size = 0;
    for (size_t i = 0; i < row->count; i++)
        size += 6 * row->item[i].key_size + 4 + row->item[i].json.size;
    return size;
}

static const struct swi_field *longest(const struct swi_fields *row)
{
    const struct swi_field *field = &row->item[0];
    for (size_t i = 1; i < row->count; i++)
        if (row->item[i].json.size > field->json.size)
            field = &row->item[i];
    return field;
}

static void row_cut(struct wandb *w, const char *key)
{
    if (!w->row_cut)
        swi_wandb_say(w, 1,
                      "the row of step %" PRId64 " has more than %d bytes, which the service would "
                      "refuse: %s is not in it; other values of such rows are only counted",
                      w->step, SWI_ROW_MAX, key);
    w->row_cut = true;
    sw_sink_lost(w->sink, 1);
    swi_fields_remove(&w->row, key);
}

static void row_shorten(struct wandb *w)
{
    while (w->row.count && json_size(&w->row) > SWI_ROW_MAX) {
        char *key = strdup(longest(&w->row)->key);
        row_cut(w, key ? key : w->row.item[0].key);
        free(key);
    }
}

/* ---- the summary of rows --------------------------------------------------------------------- */

struct swi_fields *swi_wandb_fresh(struct wandb *w)
{
    if (w->newest.count)
        swi_fields_merge(&w->fresh, &w->newest);
    swi_fields_clear(&w->newest);
    return &w->fresh;
}

/* Most rows have the names of the row before, and replace all its values. */
static void newest_set(struct wandb *w)
{
    if (!swi_fields_are_alike(&w->newest, &w->row))
        (void)swi_wandb_fresh(w);
    struct swi_fields before = w->newest;
    w->newest = w->row;
    w->row = before;
}

/* ---- the end of a row ------------------------------------------------------------------------ */

void swi_wandb_row_end(struct wandb *w)
{
    if (!w->open)
        return;
    kept_axes(&w->kept, &w->row);
    row_shorten(w);
    stamp(w);
    swi_records_history(&w->records, &w->row, w->step);
    if (kept_plainly(&w->kept))
        newest_set(w);
    else
        kept_row(&w->kept, &w->row, swi_wandb_fresh(w));
    swi_fields_clear(&w->row);
    w->written = w->step;
    w->step++;
    w->open = false;
}

/* After a restart from a checkpoint, the loop's steps go back. The service's cannot. */
static void steps_went_back(struct wandb *w, int64_t step)
{
    swi_wandb_row_end(w);
    w->shift = w->written + 1 - step;
    w->step = w->written + 1;
    swi_wandb_say(w, 0,
                  "the step went back to %" PRId64
                  ": wandb's steps can only increase, so its rows continue from step %" PRId64,
                  step, w->step);
}

/* Values of other threads may arrive one step late. They are added to the open row. */
static void step_to(struct wandb *w, int64_t step)
{
    if (step + w->shift + 1 < w->step)
        steps_went_back(w, step);
    step += w->shift;
    if (step > w->step) {
        swi_wandb_row_end(w);
        w->step = step;
    }
}

/* Returns whether a step that is not the loop's has a row: it does not go back. Where the loop's
 * steps decide, it may be one of them: a value that comes when its step is over, as from a GPU, has
 * the row of its step. It is not ahead of the loop, of which a record comes each rolling_average
 * steps. */
static bool has_row(const struct wandb *w, const struct sw_record *record)
{
    int64_t step = record->step + w->shift;
    bool given = record->step_source == SW_STEP_GIVEN;
    return step >= w->step && (w->looped_to < 0 ||
                               (given && step - w->looped_to <= w->sink->run->rolling_average + 1));
}

void swi_wandb_step_of(struct wandb *w, const struct sw_record *record)
{
    if (record->step_source == SW_STEP_OF_LOOP) {
        step_to(w, record->step);
        w->looped_to = w->step;
    } else if (has_row(w, record)) {
        step_to(w, record->step);
    } else if (record->step_source == SW_STEP_GIVEN && !w->said_given) {
        w->said_given = true;
        swi_wandb_say(w, 0,
                      "the values of sw_log_at() are in the rows of the training steps in which "
                      "they were logged: wandb's steps can only increase");
    }
}

struct swi_fields *swi_wandb_row(struct wandb *w, const struct sw_record *record)
{
    w->open = true;
    w->row_wall_s = record->wall_s;
    return &w->row;
}

static void field_put(void *row, const struct sw_metric *metric)
{
    swi_fields_number(row, metric->name, metric->value);
}

void swi_wandb_metrics(struct wandb *w, const struct sw_record *record)
{
    swi_wandb_step_of(w, record);
    struct swi_fields *row = swi_wandb_row(w, record);
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        field_put(row, metric);
        kept_take(&w->kept, metric->name, metric->value, swi_thinned_of(&w->thinning, record, i));
        swi_thinned_each(&w->thinning, record, i, field_put, row);
        w->own_epoch |= strcmp(metric->name, "epoch") == 0;
    }
    /* The x axis of the validation metrics must be in their row. If the program logs one itself,
     * that one is used. */
    if (w->own_epoch)
        return;
    swi_fields_integer(row, "epoch", record->epoch);
    kept_take(&w->kept, "epoch", (double)record->epoch, NULL);
}

/* _runtime is the run time of the last row, like every other value. The run time of the run is
 * _wandb.runtime. */
static void summary_stamp(struct wandb *w)
{
    struct swi_text *json = swi_fields_set(&w->fresh, "_wandb");
    if (json)
        swi_text_format(json, "{\"runtime\":%" PRId64 "}", w->last_ns / 1000000000);
    if (w->written < 0)
        runtime_set(&w->fresh, w);
}

void swi_wandb_summary_write(struct wandb *w)
{
    if (!swi_wandb_fresh(w)->count)
        return;
    summary_stamp(w);
    if (!swi_records_summary(&w->records, &w->fresh))
        return;
    swi_fields_merge(&w->summary, &w->fresh);
    swi_fields_clear(&w->fresh);
}
