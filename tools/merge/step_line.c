/* SPDX-License-Identifier: MIT */
#include "tools/merge/step_line.h"
#include "core/text/vec.h"

#include <stdlib.h>

static struct step_call *call_at(struct step_line *step, size_t index)
{
    if (index >= step->room) {
        size_t room = step->room ? 2 * step->room : 32;
        struct step_call *grown = realloc(step->call, room * sizeof *grown);
        if (!grown) {
            step->failed = true;
            return NULL;
        }
        for (size_t i = step->room; i < room; i++)
            grown[i] = (struct step_call){0};
        step->call = grown;
        step->room = room;
    }
    return &step->call[index];
}

static int name_of(struct step_line *step, struct name_table *names, const struct log_value *text)
{
    int name = names_number(names, text->text, text->size);
    step->failed = step->failed || name < 0;
    return name;
}

static void call_put(struct step_line *step, int action, int64_t ns)
{
    struct step_call *call = call_at(step, step->count);
    if (!call || action < 0)
        return;
    *call = (struct step_call){action, SHAPE_NONE, ns, step->inner};
    step->count++;
}

/* Takes a number, or a list of numbers. What is not a number counts as a call of no duration. */
static void durations_take(struct step_line *step, struct name_table *names,
                           const struct log_value *durations)
{
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        int action = name_of(step, names, k);
        if (!log_is(k + 1, LOG_ARRAY))
            call_put(step, action, log_ns(k + 1));
        for (const struct log_value *v = log_first(k + 1); v; v = log_after(k + 1, v))
            call_put(step, action, log_ns(v));
    }
}

/* Sets the shape of call `index`, if that is a call of the action. */
static void shape_set(struct step_line *step, struct name_table *names, int action, size_t index,
                      const struct log_value *shape)
{
    if (log_is(shape, LOG_STRING) && shape->size && index < step->count &&
        step->call[index].action == action)
        step->call[index].shape = name_of(step, names, shape);
}

/* Takes the shape of a call, or a list with one for each call of the action. */
static void shapes_take(struct step_line *step, struct name_table *names,
                        const struct log_value *shapes)
{
    for (const struct log_value *k = log_first_key(shapes); k; k = log_next_key(shapes, k)) {
        int action = name_of(step, names, k);
        size_t index = 0;
        while (index < step->count && step->call[index].action != action)
            index++;
        shape_set(step, names, action, index, k + 1);
        for (const struct log_value *v = log_first(k + 1); v; v = log_after(k + 1, v))
            shape_set(step, names, action, index++, v);
    }
}

/* ---- counters ---- */

static void use_put(struct step_line *step, int action, size_t counter, int64_t total)
{
    bool fits = swi_vec_grow(&step->use, step->uses, &step->uses_room, sizeof *step->use);
    step->failed |= !fits;
    if (fits)
        step->use[step->uses++] = (struct step_use){action, counter, total};
}

static bool is_number(const struct log_value *value)
{
    return log_is(value, LOG_INTEGER) || log_is(value, LOG_REAL);
}

/* Returns whether a list is [total, self], and not a list of these. null: it could not be read. */
static bool is_pair(const struct log_value *list)
{
    const struct log_value *total = log_at(list, 0);
    return is_number(total) ||
           (log_is(total, LOG_NULL) && log_is(log_at(list, 1), LOG_NULL) && list->size == 2);
}

/* A list with a pair or null for each counter, or a list of these, one for each call. */
static void uses_take(struct step_line *step, int action, const struct log_value *uses, int depth)
{
    size_t i = 0;
    for (const struct log_value *use = log_first(uses); use; use = log_after(uses, use), i++) {
        if (is_pair(use) && is_number(use + 1))
            use_put(step, action, i, log_whole(use + 1));
        else if (!is_pair(use) && depth == 0)
            uses_take(step, action, use, 1);
    }
}

bool step_line_take(struct step_line *step, struct name_table *names, const struct log_value *line)
{
    const struct log_value *phase = log_get(line, "phase"), *counters = log_get(line, "counters");
    step->step = log_is(log_get(line, "step"), LOG_INTEGER) ? log_step(line) : -1;
    step->samples = log_integer(line, "samples", 0);
    step->count = 0;
    step->uses = 0;
    step->phase = log_is(phase, LOG_STRING) ? name_of(step, names, phase) : NAME_TRAIN;
    step->inner = false;
    durations_take(step, names, log_get(line, "durations"));
    step->inner = true;
    durations_take(step, names, log_get(line, "inner"));
    for (const struct log_value *k = log_first_key(counters); k; k = log_next_key(counters, k))
        uses_take(step, name_of(step, names, k), k + 1, 0);
    if (step->by_shape)
        shapes_take(step, names, log_get(line, "shapes"));
    return !step->failed;
}

void step_line_free(struct step_line *step)
{
    free(step->call);
    free(step->use);
    *step = (struct step_line){0};
}
