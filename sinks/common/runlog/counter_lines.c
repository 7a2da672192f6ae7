/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/counter_lines.h"

#include "core/text/vec.h"
#include "sinks/common/runlog/line_fields.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>

/* ---- counters -------------------------------------------------------------------------------- */

void swi_log_counters_free(struct swi_log_counters *counters)
{
    free(counters->named);
    *counters = (struct swi_log_counters){0};
}

void swi_log_counter_names(struct swi_text *text, const char *name, enum sw_counter_kind kind,
                           const char *unit)
{
    swi_text_put(text, "\"name\":");
    swi_escape_json(text, name);
    swi_field_string(text, "kind", kind == SW_COUNTER_PEAK ? "peak" : "sum");
    swi_field_string(text, "unit", unit);
}

static void info_add(struct swi_text *text, const struct sw_counter_info *counter)
{
    swi_log_counter_names(text, counter->name, counter->kind, counter->unit);
    if (counter->less)
        swi_field_integer(text, "less", counter->less);
    if (SW_HAS(counter->size, counter, steps_only) && counter->steps_only)
        swi_field_bool(text, "steps", true);
    if (SW_HAS(counter->size, counter, standard) && counter->standard > 0)
        swi_field_integer(text, "standard", counter->standard);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_named(const struct swi_log_counters *counters, const struct sw_counter_info *counter)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->named[i] == counter)
            return true;
    return false;
}

static bool name_keep(struct swi_log_counters *counters, const struct sw_counter_info *counter)
{
    bool fits = swi_vec_room(&counters->named, counters->count, sizeof(*counters->named));
    counters->failed = counters->failed || !fits;
    if (fits)
        counters->named[counters->count++] = counter;
    return fits;
}

void swi_log_counters_of_run(struct swi_text *text, struct swi_log_counters *counters,
                             const struct sw_run *run)
{
    bool known = SW_HAS(run->size, run, counter);
    for (size_t i = 0; known && i < run->counter_count; i++) {
        const struct sw_counter_info *counter = sw_element_(run->counter, run->counter_stride, i);
        if (!is_named(counters, counter))
            name_keep(counters, counter);
    }
    for (size_t i = 0; i < counters->count; i++) {
        swi_text_put(text, i ? ",{" : ",\"counters\":[{");
        info_add(text, counters->named[i]);
        swi_text_put(text, "}");
    }
    swi_text_put(text, counters->count ? "]" : "");
}

void swi_log_counters_name(struct swi_text *text, struct swi_log_counters *counters,
                           const struct sw_counter_use *use, size_t count, size_t stride)
{
    for (size_t i = 0; i < count; i++) {
        const struct sw_counter_info *counter =
            ((const struct sw_counter_use *)sw_element_(use, stride, i))->counter;
        if (is_named(counters, counter) || !name_keep(counters, counter))
            continue;
        swi_text_put(text, "{\"type\":\"counter\",");
        info_add(text, counter);
        swi_text_put(text, "}\n");
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

void swi_log_counter_value(struct swi_text *text, int64_t value)
{
    if (value == SW_COUNTER_NONE)
        swi_text_put(text, "null");
    else
        swi_text_integer(text, value);
}

/* Returns what of a region or a part of a step is of a counter, or NULL. */
static const struct sw_counter_use *use_of(const struct sw_counter_use *use, size_t count,
                                           size_t stride, const struct sw_counter_info *counter)
{
    for (size_t i = 0; i < count; i++) {
        const struct sw_counter_use *of =
            (const struct sw_counter_use *)sw_element_(use, stride, i);
        if (of->counter == counter)
            return of;
    }
    return NULL;
}

static void values_add(struct swi_text *text, const struct swi_log_counters *counters,
                       const struct sw_region *region, const char *key, enum sw_counter_kind kind)
{
    bool any = false;
    for (size_t i = 0; i < counters->count; i++) {
        if (counters->named[i]->kind != kind)
            continue;
        const struct sw_counter_use *use =
            use_of(region->use, region->use_count, region->use_stride, counters->named[i]);
        if (any)
            swi_text_put(text, ",");
        else
            swi_text_format(text, ",\"%s\":[", key);
        swi_log_counter_value(text, use ? use->value : 0);
        any = true;
    }
    if (any)
        swi_text_put(text, "]");
}

void swi_log_counters_of_region(struct swi_text *text, const struct swi_log_counters *counters,
                                const struct sw_region *region)
{
    values_add(text, counters, region, "c", SW_COUNTER_SUM);
    if (region->event == SW_REGION_END)
        values_add(text, counters, region, "p", SW_COUNTER_PEAK);
}

void swi_log_counters_of_part(struct swi_text *text, const struct swi_log_counters *counters,
                              const struct sw_step_part *part)
{
    for (size_t i = 0; i < counters->count; i++) {
        const struct sw_counter_use *use =
            use_of(part->use, part->use_count, part->use_stride, counters->named[i]);
        swi_text_put(text, i ? "," : "[");
        if (use) {
            swi_text_put(text, "[");
            swi_log_counter_value(text, use->value);
            swi_text_put(text, ",");
            swi_log_counter_value(text, use->self);
            swi_text_put(text, "]");
        } else {
            swi_text_put(text, "null");
        }
    }
    swi_text_put(text, "]");
}
