/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/kept_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics --------------------------------------------------------------------------------- */

static const struct swi_kept_metric *metric_find(const struct swi_kept_values *kept,
                                                 const char *name)
{
    ptrdiff_t number = swi_map_find(&kept->names, name, strlen(name));
    return number < 0 ? NULL : &kept->metric[number];
}

void swi_kept_take(struct swi_kept_values *kept, const char *name, double value,
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

bool swi_kept_plainly(const struct swi_kept_values *kept)
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

void swi_history_row(struct swi_kept_values *kept, const struct swi_fields *row,
                     struct swi_fields *summary)
{
    if (swi_kept_plainly(kept)) {
        swi_fields_merge(summary, row);
        return;
    }
    for (size_t i = 0; i < row->count; i++)
        field_take(kept, &row->item[i], summary);
}

/* ---- axes ------------------------------------------------------------------------------------ */

void swi_kept_axes(const struct swi_kept_values *kept, struct swi_fields *row)
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
