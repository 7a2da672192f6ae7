/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/lines.h"

#include "core/text/map.h"
#include "sinks/common/runlog/line_fields.h"
#include "sinks/common/step_fields.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

/* ---- the parts of a step by action ----------------------------------------------------------- */

/* The calls of an action are a list, and calls inside a call of the same action another one. */
struct list_part {
    size_t next; /* the next part of the same list; 0: none */
    bool later;  /* it is not the first of its list */
};

struct step_lists {
    const struct sw_step *step;
    const struct swi_log_counters *counters;
    struct list_part *part; /* NULL: each list has a single part, as in most steps */
    bool has_inner;         /* there are calls inside a call of the same action */
    size_t offset;          /* of the number that is written now */
};

/* Returns whether every action has a single call. Then no search is needed. */
static bool are_single(struct step_lists *lists)
{
    const struct sw_step *step = lists->step;
    uint64_t seen = 0;
    bool single = true;
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        int action = part->action_id;
        single = single && action >= 0 && action <= 63 && !(seen >> action & 1);
        seen |= UINT64_C(1) << (action & 63);
        lists->has_inner |= part->inner;
    }
    return single;
}

/* Returns false if out of memory. `part` is the caller's to free. */
static bool lists_make(struct step_lists *lists)
{
    const struct sw_step *step = lists->step;
    struct swi_map map = {0};
    size_t *newest = NULL, *before; /* part of each list, from 1 */
    if (are_single(lists))
        return true;
    lists->part = calloc(step->count, sizeof *lists->part);
    bool fine = lists->part;
    for (size_t i = 0; fine && i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        const int list[2] = {part->action_id, part->inner};
        fine = (before = swi_map_item(&map, &newest, sizeof *newest, list, sizeof list)) != NULL;
        if (!fine)
            break;
        lists->part[i].later = *before > 0;
        if (*before)
            lists->part[*before - 1].next = i;
        *before = i + 1;
    }
    free(newest);
    swi_map_free(&map);
    return fine;
}

/* Returns the next part of the same list; 0: none. */
static inline size_t list_next(const struct step_lists *lists, size_t i)
{
    return lists->part ? lists->part[i].next : 0;
}

/* What is said of a part, and whether there is something to say. */
typedef void value_fn(struct swi_text *text, const struct step_lists *lists, size_t k);
typedef bool part_fn(const struct step_lists *lists, size_t k);

/* Adds a value of each part in the list of part i: one value, or an array in the order of the
 * calls. */
static void list_add(struct swi_text *text, const struct step_lists *lists, size_t i,
                     value_fn *value_add)
{
    if (!list_next(lists, i)) {
        value_add(text, lists, i);
        return;
    }
    swi_text_put(text, "[");
    value_add(text, lists, i);
    for (size_t k = i; (k = list_next(lists, k));) {
        swi_text_put(text, ",");
        value_add(text, lists, k);
    }
    swi_text_put(text, "]");
}

/* Returns whether any part of the list that part i begins is one of these. */
static bool any_of(const struct step_lists *lists, size_t i, part_fn *is)
{
    bool found = is(lists, i);
    for (size_t k = i; !found && (k = list_next(lists, k));)
        found = is(lists, k);
    return found;
}

/* Adds a field of the lists of which any part is one of these, if there are any; `is` NULL: of all
 * lists. Calls inside a call of the same action have a separate field, because their time is in
 * both. Returns whether the field was added. */
static bool lists_add(struct swi_text *text, const struct step_lists *lists, const char *key,
                      int inner, part_fn *is, value_fn *value_add)
{
    bool any = false;
    for (size_t i = 0; i < lists->step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(lists->step, i);
        if (part->inner != inner || (lists->part && lists->part[i].later) ||
            (is && !any_of(lists, i, is)))
            continue;
        if (!any)
            swi_field_key(text, key);
        swi_text_put(text, any ? "," : "{");
        swi_escape_json(text, part->action);
        swi_text_put(text, ":");
        list_add(text, lists, i, value_add);
        any = true;
    }
    if (any)
        swi_text_put(text, "}");
    return any;
}

/* ---- what is said of a part ------------------------------------------------------------------ */

static void number_add(struct swi_text *text, const struct step_lists *lists, size_t k)
{
    swi_text_integer(text, swi_step_number(lists->step, k, lists->offset));
}

static bool is_not_zero(const struct step_lists *lists, size_t k)
{
    return swi_step_number(lists->step, k, lists->offset) != 0;
}

/* Returns whether others ran inside part k: a log of steps does not say which ran in which. The
 * self times of draws and of the batch are not written, because they are what the others leave. */
static bool is_around(const struct step_lists *lists, size_t k)
{
    const struct sw_step_part *part = sw_step_part_at(lists->step, k);
    return part->action_id != SW_BATCH && part->action_id != SW_DRAW &&
           swi_step_number(lists->step, k, offsetof(struct sw_step_part, self_ns)) !=
               part->duration_ns;
}

static void numbers_add(struct swi_text *text, struct step_lists *lists)
{
    static part_fn *const of[] = {[SWI_NOT_ZERO] = is_not_zero, [SWI_AROUND] = is_around};
#define NUMBER(key, is_inner, field, written, divided, replayed)                                   \
    lists->offset = offsetof(struct sw_step_part, field);                                          \
    if ((!(is_inner) || lists->has_inner) &&                                                       \
        !lists_add(text, lists, #key, is_inner, of[written], number_add) &&                        \
        (written) == SWI_OF_ALL && !(is_inner))                                                    \
        swi_text_put(text, ",\"" #key "\":{}");
    SWI_STEP_FIELDS(NUMBER)
#undef NUMBER
}

static const char *shape_at(const struct sw_step *step, size_t k)
{
    const struct sw_step_part *part = sw_step_part_at(step, k);
    return SW_HAS(step->part_stride, part, shape) && part->shape ? part->shape : "";
}

static bool has_shape(const struct step_lists *lists, size_t k)
{
    return *shape_at(lists->step, k) != '\0';
}

static void shape_add(struct swi_text *text, const struct step_lists *lists, size_t k)
{
    swi_escape_json(text, shape_at(lists->step, k));
}

static void counters_add(struct swi_text *text, const struct step_lists *lists, size_t k)
{
    swi_log_counters_of_part(text, lists->counters, sw_step_part_at(lists->step, k));
}

static void fields_add(struct swi_text *text, const struct sw_step *step,
                       const struct swi_log_counters *counters)
{
    struct step_lists lists = {.step = step, .counters = counters};
    bool fine = lists_make(&lists);
    text->failed |= !fine;
    if (fine) {
        numbers_add(text, &lists);
        lists_add(text, &lists, "shapes", 0, has_shape, shape_add);
        if (counters && counters->count)
            lists_add(text, &lists, "counters", 0, NULL, counters_add);
        if (lists.has_inner && counters && counters->count)
            lists_add(text, &lists, "inner_counters", 1, NULL, counters_add);
    }
    free(lists.part);
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
                   const struct swi_step_group *group, struct swi_log_counters *counters)
{
    bool several = group && group->count > 1;
    record = group ? &group->record : record;
    const struct sw_step *step = several ? &group->sum : record->step_done;
    for (size_t i = 0; counters && i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        if (part->use_count)
            swi_log_counters_name(text, counters, part->use, part->use_count, part->use_stride);
    }
    swi_line_begin_at(text, several ? "steps" : "step", record->time_ns);
    if (several) {
        swi_field_integer(text, "from", group->from_ns);
        swi_field_integer(text, "first", group->first_step);
    }
    swi_field_integer(text, "step", record->step);
    if (several)
        swi_field_integer(text, "steps", group->count);
    swi_field_string(text, "phase", step->phase == SW_PHASE_VALID ? "valid" : "train");
    swi_field_integer(text, "samples", step->samples);
    if (several) {
        object_add(text, "sum", step_add, step, counters);
        object_add(text, "min", step_add, &group->min, NULL);
        object_add(text, "max", step_add, &group->max, NULL);
    } else {
        step_add(text, step, counters);
    }
    swi_line_end(text);
}
