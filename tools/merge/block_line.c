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

static struct block_action values_take(struct block_line *line, int name, struct json_scan *scan)
{
    struct block_action action = {.name = name, .offset = line->values};
    for (bool begun = false; scan_element(scan, &begun);)
        value_put(line, (double)scan_integer(scan));
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

static void durations_take(struct block_line *line, struct name_table *names,
                           struct json_scan *scan)
{
    struct scan_text key;
    for (bool begun = false; scan_member(scan, &begun, &key);) {
        int name = names_number(names, &key);
        line->failed = line->failed || name < 0;
        if (scan_is(scan, '['))
            action_put(line, values_take(line, name, scan));
        else
            scan_skip(scan);
    }
}

bool block_line_parse(struct block_line *line, struct name_table *names, const char *text)
{
    struct json_scan scan = scan_begin(text);
    struct scan_text key;
    line->count = line->values = 0;
    line->shape = (struct block_shape){0};
    line->steps = (struct block_action){0};
    for (bool begun = false; scan_member(&scan, &begun, &key);) {
        if (scan_equals(&key, "width") && scan_is(&scan, '0'))
            line->shape.width = scan_integer(&scan);
        else if (scan_equals(&key, "first") && scan_is(&scan, '0'))
            line->shape.first = scan_integer(&scan);
        else if (scan_equals(&key, "count") && scan_is(&scan, '0'))
            line->shape.count = scan_integer(&scan);
        else if (scan_equals(&key, "steps") && scan_is(&scan, '['))
            line->steps = values_take(line, NAME_STEP, &scan);
        else if (scan_equals(&key, "durations") && scan_is(&scan, '{'))
            durations_take(line, names, &scan);
        else
            scan_skip(&scan);
    }
    return scan_is_done(&scan) && !line->failed && line->shape.width > 0;
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
