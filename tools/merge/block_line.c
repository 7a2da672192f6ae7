/* SPDX-License-Identifier: MIT */
#include "tools/merge/block_line.h"
#include "core/text/vec.h"

#include <stdlib.h>

static void value_put(struct block_line *line, double value)
{
    bool fits = swi_vec_grow(&line->value, line->values, &line->values_room, sizeof value);
    line->failed |= !fits;
    if (fits)
        line->value[line->values++] = value;
}

static struct block_action values_take(struct block_line *line, int name,
                                       const struct log_value *values)
{
    struct block_action action = {.name = name, .offset = line->values};
    for (const struct log_value *v = log_first(values); v; v = log_after(values, v))
        value_put(line, (double)log_whole(v));
    action.count = line->values - action.offset;
    return action;
}

static void action_put(struct block_line *line, struct block_action action)
{
    bool fits = swi_vec_grow(&line->action, line->count, &line->room, sizeof action);
    line->failed |= !fits;
    if (fits)
        line->action[line->count++] = action;
}

/* Small enough to be counted on from. */
static int64_t count_of(const struct log_value *line, const char *key)
{
    int64_t count = log_integer(line, key, 0);
    return count >= 0 && count < INT64_C(1) << 60 ? count : 0;
}

struct block_shape block_line_shape(const struct log_value *line)
{
    return (struct block_shape){count_of(line, "width"), count_of(line, "first"),
                                count_of(line, "count")};
}

bool block_line_take(struct block_line *line, struct name_table *names, const struct log_value *of)
{
    const struct log_value *durations = log_get(of, "durations");
    line->count = line->values = 0;
    line->shape = block_line_shape(of);
    line->steps = values_take(line, NAME_STEP, log_get(of, "steps"));
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        int name = names_number(names, k->text, k->size);
        line->failed = line->failed || name < 0;
        if (log_is(k + 1, LOG_ARRAY))
            action_put(line, values_take(line, name, k + 1));
    }
    return !line->failed && line->shape.width > 0;
}

/* Adds up the blocks of one action that belong to the same wider block. */
static void values_fold(struct block_line *line, struct block_action *action, int64_t fold)
{
    size_t last = 0;
    if (!line->value)
        return;
    double *value = line->value + action->offset;
    for (size_t i = 0; i < action->count; i++) {
        size_t to = (size_t)((line->shape.first + (int64_t)i) / fold - line->shape.first / fold);
        double ns = value[i];
        value[to] = (to == last && i > 0 ? value[to] : 0) + ns;
        last = to;
    }
    action->count = action->count ? last + 1 : 0;
}

void block_line_fold(struct block_line *line, int64_t width)
{
    int64_t fold = line->shape.width > 0 ? width / line->shape.width : 1;
    if (fold <= 1)
        return;
    values_fold(line, &line->steps, fold);
    for (size_t i = 0; i < line->count; i++)
        values_fold(line, &line->action[i], fold);
    line->shape.first /= fold;
    line->shape.width = width;
    line->shape.count = (int64_t)line->steps.count;
}

static double value_at(const struct block_line *line, const struct block_action *action,
                       int64_t block)
{
    bool there = block >= 0 && (uint64_t)block < action->count;
    return there ? line->value[action->offset + (size_t)block] : 0;
}

double block_line_steps(const struct block_line *line, int64_t block)
{
    return value_at(line, &line->steps, block);
}

double block_line_ns(const struct block_line *line, size_t action, int64_t block)
{
    return value_at(line, &line->action[action], block);
}

void block_line_free(struct block_line *line)
{
    free(line->action);
    free(line->value);
    *line = (struct block_line){0};
}
