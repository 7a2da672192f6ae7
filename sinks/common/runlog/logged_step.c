/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/lines.h"

#include "sinks/common/runlog/line_fields.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

/* Adds a value of each part in the list of part i: one value, or an array in the order of the
 * calls.
 */
static void list_add(struct swi_text *text, const struct swi_step_lists *lists, size_t i,
                     void (*value_add)(struct swi_text *text, const struct sw_step *step, size_t k))
{
    bool several = swi_step_list_next(lists, i);
    swi_text_put(text, several ? "[" : "");
    value_add(text, lists->step, i);
    for (size_t k = i; (k = swi_step_list_next(lists, k));) {
        swi_text_put(text, ",");
        value_add(text, lists->step, k);
    }
    swi_text_put(text, several ? "]" : "");
}

static void duration_add(struct swi_text *text, const struct sw_step *step, size_t k)
{
    swi_text_integer(text, sw_step_part_at(step, k)->duration_ns);
}

static int64_t self_at(const struct sw_step *step, size_t k)
{
    const struct sw_step_part *part = sw_step_part_at(step, k);
    bool known = SW_HAS(step->part_stride, part, self_ns) && part->self_ns >= 0;
    return known ? part->self_ns : part->duration_ns;
}

static void self_add(struct swi_text *text, const struct sw_step *step, size_t k)
{
    swi_text_integer(text, self_at(step, k));
}

/* Returns whether others ran inside part k. The self times of draws and of the batch are not
 * written, because they are what the others leave. */
static bool is_around(const struct sw_step *step, size_t k)
{
    const struct sw_step_part *part = sw_step_part_at(step, k);
    return part->action_id != SW_BATCH && part->action_id != SW_DRAW &&
           self_at(step, k) != part->duration_ns;
}

/* Returns whether any part of the list that part i begins is one of these. */
static bool any_of(const struct swi_step_lists *lists, size_t i,
                   bool (*is)(const struct sw_step *step, size_t k))
{
    bool found = is(lists->step, i);
    for (size_t k = i; !found && (k = swi_step_list_next(lists, k));)
        found = is(lists->step, k);
    return found;
}

static bool has_inner(const struct sw_step *step)
{
    for (size_t i = 0; i < step->count; i++)
        if (sw_step_part_at(step, i)->inner)
            return true;
    return false;
}

static const char *shape_at(const struct sw_step *step, size_t i)
{
    const struct sw_step_part *part = sw_step_part_at(step, i);
    bool known = SW_HAS(step->part_stride, part, shape) && part->shape;
    return known && !part->inner ? part->shape : "";
}

/* Most steps have none. */
static bool any_shape(const struct sw_step *step)
{
    const struct sw_step_part *part = step->part;
    if (!SW_HAS(step->part_stride, part, shape))
        return false;
    for (size_t i = 0; i < step->count; i++, part = sw_element_(part, step->part_stride, 1))
        if (*part->shape)
            return true;
    return false;
}

static bool has_shape(const struct sw_step *step, size_t k)
{
    return *shape_at(step, k) != '\0';
}

static void shape_add(struct swi_text *text, const struct sw_step *step, size_t k)
{
    swi_escape_json(text, shape_at(step, k));
}

/* Adds a field of the lists of which any part is one of these; `is` NULL: of all lists. Calls
 * inside a call of the same action have a separate field, because their time is in both. */
static void lists_add(struct swi_text *text, const struct swi_step_lists *lists, const char *key,
                      int inner, bool (*is)(const struct sw_step *step, size_t k),
                      void (*value_add)(struct swi_text *text, const struct sw_step *step,
                                        size_t k))
{
    const char *comma = "";
    swi_field_key(text, key);
    swi_text_put(text, "{");
    for (size_t i = 0; i < lists->step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(lists->step, i);
        if (part->inner != inner || !swi_step_list_begins(lists, i) ||
            (is && !any_of(lists, i, is)))
            continue;
        swi_text_put(text, comma);
        swi_escape_json(text, part->action);
        swi_text_put(text, ":");
        list_add(text, lists, i, value_add);
        comma = ",";
    }
    swi_text_put(text, "}");
}

static bool any_around(const struct sw_step *step, int inner)
{
    for (size_t k = 0; k < step->count; k++)
        if (sw_step_part_at(step, k)->inner == inner && is_around(step, k))
            return true;
    return false;
}

/* Parts in which others ran: a log of steps does not say which ran in which. */
static void selves_add(struct swi_text *text, const struct swi_step_lists *lists, const char *key,
                       int inner)
{
    if (any_around(lists->step, inner))
        lists_add(text, lists, key, inner, is_around, self_add);
}

static void fields_add(struct swi_text *text, const struct sw_step *step,
                       const struct swi_log_counters *counters)
{
    struct swi_step_lists lists;
    if (!swi_step_lists_init(&lists, step)) {
        text->failed = true;
        return;
    }
    lists_add(text, &lists, "durations", 0, NULL, duration_add);
    selves_add(text, &lists, "self", 0);
    if (has_inner(step)) {
        lists_add(text, &lists, "inner", 1, NULL, duration_add);
        selves_add(text, &lists, "inner_self", 1);
    }
    if (any_shape(step))
        lists_add(text, &lists, "shapes", 0, has_shape, shape_add);
    if (counters)
        swi_log_counters_of_step(text, counters, &lists);
    swi_step_lists_fini(&lists);
}

/* ---- what ran in draws ----------------------------------------------------------------------- */

static bool is_drawn(const struct sw_step *step, size_t i)
{
    const struct sw_step_part *part = sw_step_part_at(step, i);
    return SW_HAS(step->part_stride, part, in_draw) && part->in_draw;
}

static bool any_drawn(const struct sw_step *step)
{
    for (size_t i = 0; i < step->count; i++)
        if (is_drawn(step, i))
            return true;
    return false;
}

/* Returns a copy of the step with the parts that ran in draws, or with all others. Its parts are
 * the caller's to free; NULL: out of memory. */
static struct sw_step parts_of(const struct sw_step *step, bool drawn)
{
    struct sw_step copy = *step;
    char *part = malloc(step->count * step->part_stride);
    copy.part = (const struct sw_step_part *)(void *)part;
    copy.count = 0;
    for (size_t i = 0; part && i < step->count; i++)
        if (is_drawn(step, i) == drawn)
            memcpy(part + copy.count++ * step->part_stride, sw_step_part_at(step, i),
                   step->part_stride);
    return copy;
}

/* What ran in the draws, and what many steps took together, are objects with the same fields. */
typedef void fields_fn(struct swi_text *text, const struct sw_step *step,
                       const struct swi_log_counters *counters);

/* Adds an object with the fields of a step. */
static void object_add(struct swi_text *text, const char *key, fields_fn *add,
                       const struct sw_step *step, const struct swi_log_counters *counters)
{
    struct swi_text fields = {0};
    add(&fields, step, counters);
    swi_field_key(text, key);
    swi_text_put(text, "{");
    if (fields.data)
        swi_text_put(text, fields.data + 1); /* without the comma */
    swi_text_put(text, "}");
    text->failed |= fields.failed;
    swi_text_free(&fields);
}

static void divided_add(struct swi_text *text, const struct sw_step *step,
                        const struct swi_log_counters *counters)
{
    struct sw_step drawn = parts_of(step, true), others = parts_of(step, false);
    text->failed |= !drawn.part || !others.part;
    if (others.part)
        fields_add(text, &others, counters);
    if (drawn.part)
        object_add(text, "in_draw", fields_add, &drawn, counters);
    free((void *)drawn.part);
    free((void *)others.part);
}

static void step_add(struct swi_text *text, const struct sw_step *step,
                     const struct swi_log_counters *counters)
{
    if (any_drawn(step))
        divided_add(text, step, counters);
    else
        fields_add(text, step, counters);
}

void swi_step_line(struct swi_text *text, const struct sw_record *record,
                   struct swi_log_counters *counters)
{
    const struct sw_step *step = record->step_done;
    if (counters)
        swi_log_counters_name_step(text, counters, step);
    swi_line_begin_at(text, "step", record->time_ns);
    swi_field_integer(text, "step", record->step);
    swi_field_string(text, "phase", step->phase == SW_PHASE_VALID ? "valid" : "train");
    swi_field_integer(text, "samples", step->samples);
    step_add(text, step, counters);
    swi_line_end(text);
}

void swi_steps_line(struct swi_text *text, const struct swi_step_group *group,
                    struct swi_log_counters *counters)
{
    const struct sw_record *record = &group->record;
    if (group->count == 1) {
        swi_step_line(text, record, counters);
        return;
    }
    if (counters)
        swi_log_counters_name_step(text, counters, &group->sum);
    swi_line_begin_at(text, "steps", record->time_ns);
    swi_field_integer(text, "from", group->from_ns);
    swi_field_integer(text, "first", group->first_step);
    swi_field_integer(text, "step", record->step);
    swi_field_integer(text, "steps", group->count);
    swi_field_string(text, "phase", group->sum.phase == SW_PHASE_VALID ? "valid" : "train");
    swi_field_integer(text, "samples", group->sum.samples);
    object_add(text, "sum", step_add, &group->sum, counters);
    object_add(text, "min", step_add, &group->min, NULL);
    object_add(text, "max", step_add, &group->max, NULL);
    swi_line_end(text);
}
