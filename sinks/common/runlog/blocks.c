/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/counter_lines.h"

#include "core/text/escape.h"
#include "core/text/vec.h"
#include "sinks/common/step_groups.h"

#include <stdlib.h>
#include <string.h>

/* ---- which block ---- */

/* Adds up each two values that belong to the same block of twice the width. */
static void values_halve(int64_t *value, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t to = (first + i) / 2 - first / 2, ns = value[i];
        value[i] = 0;
        value[to] += ns;
    }
}

static void halve(struct swi_blocks *blocks)
{
    values_halve(blocks->steps, blocks->first, blocks->count);
    for (size_t a = 0; a < blocks->actions; a++)
        values_halve(blocks->action[a].ns, blocks->first, blocks->count);
    blocks->count = (blocks->first + blocks->count - 1) / 2 - blocks->first / 2 + 1;
    blocks->first /= 2;
    blocks->width *= 2;
}

static void values_shift(int64_t *value, int64_t count, int64_t by)
{
    memmove(value + by, value, (size_t)count * sizeof *value);
    memset(value, 0, (size_t)by * sizeof *value);
}

/* Makes room before the first block, for a loop that went back. */
static void shift(struct swi_blocks *blocks, int64_t by)
{
    values_shift(blocks->steps, blocks->count, by);
    for (size_t a = 0; a < blocks->actions; a++)
        values_shift(blocks->action[a].ns, blocks->count, by);
    blocks->first -= by;
    blocks->count += by;
}

static bool fits(const struct swi_blocks *blocks, int64_t block)
{
    int64_t last = blocks->first + blocks->count - 1;
    return block - blocks->first < SWI_BLOCKS && last - block < SWI_BLOCKS;
}

/* Returns the index of a step's block. */
static int64_t place(struct swi_blocks *blocks, int64_t number)
{
    if (!blocks->count)
        blocks->first = number / blocks->width;
    while (blocks->count && !fits(blocks, number / blocks->width))
        halve(blocks);
    int64_t block = number / blocks->width;
    if (block < blocks->first)
        shift(blocks, blocks->first - block);
    if (block >= blocks->first + blocks->count)
        blocks->count = block - blocks->first + 1;
    return block - blocks->first;
}

/* ---- adding ---- */

static struct swi_block_action *action_new(struct swi_blocks *blocks, int id, const char *name)
{
    char *copy = strdup(name);
    if (!copy || !swi_vec_room(&blocks->action, blocks->actions, sizeof *blocks->action)) {
        free(copy);
        return NULL;
    }
    blocks->action[blocks->actions] = (struct swi_block_action){.id = id, .name = copy};
    return &blocks->action[blocks->actions++];
}

static struct swi_block_action *action_of(struct swi_blocks *blocks, int id, const char *name)
{
    for (size_t a = 0; a < blocks->actions; a++)
        if (blocks->action[a].id == id)
            return &blocks->action[a];
    return action_new(blocks, id, name);
}

__extension__ typedef __int128 wide;

/* Some of `count` steps, from `from` up to `to`, which are of one block. */
struct step_share {
    int64_t from, to, count;
};

static int64_t share_of(int64_t sum, const struct step_share *some)
{
    return (int64_t)((wide)sum * some->to / some->count - (wide)sum * some->from / some->count);
}

static void some_add(struct swi_blocks *blocks, int64_t at, const struct sw_step *step,
                     const struct step_share *some)
{
    blocks->steps[at] += some->to - some->from;
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        bool drawn = SW_HAS(step->part_stride, part, in_draw) && part->in_draw;
        struct swi_block_action *action =
            part->inner || drawn ? NULL : action_of(blocks, part->action_id, part->action);
        if (action)
            action->ns[at] += share_of(part->duration_ns, some);
    }
}

void swi_blocks_add(struct swi_blocks *blocks, int64_t number, const struct sw_step *step)
{
    struct step_share some = {.count = swi_step_count(step)};
    int64_t first = number - some.count + 1;
    if (step->phase != SW_PHASE_TRAIN || step->samples < 0 || number < 0)
        return;
    if (first < 0)
        first = 0;
    place(blocks, number); /* makes the blocks as wide as they will be */
    for (; some.from < some.count; some.from = some.to) {
        int64_t at = place(blocks, first + some.from), left = some.count - some.from;
        int64_t room = blocks->width - (first + some.from) % blocks->width;
        some.to = some.from + (left < room ? left : room);
        some_add(blocks, at, swi_step_sum(step), &some);
    }
}

/* ---- the line ---- */

static void list_add(struct swi_text *text, const int64_t *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        swi_text_put(text, i ? "," : "[");
        swi_text_integer(text, value[i]);
    }
    swi_text_put(text, "]");
}

void swi_blocks_line(const struct swi_blocks *blocks, struct swi_text *text)
{
    if (!blocks->count)
        return;
    swi_text_format(text,
                    "{\"type\":\"blocks\",\"width\":%" PRId64 ",\"first\":%" PRId64
                    ",\"count\":%" PRId64 ",\"steps\":",
                    blocks->width, blocks->first, blocks->count);
    list_add(text, blocks->steps, blocks->count);
    swi_text_put(text, ",\"durations\":");
    for (size_t a = 0; a < blocks->actions; a++) {
        swi_text_put(text, a ? "," : "{");
        swi_escape_json(text, blocks->action[a].name);
        swi_text_put(text, ":");
        list_add(text, blocks->action[a].ns, blocks->count);
    }
    swi_text_put(text, blocks->actions ? "}}\n" : "{}}\n");
}

void swi_blocks_free(struct swi_blocks *blocks)
{
    for (size_t a = 0; a < blocks->actions; a++)
        free(blocks->action[a].name);
    free(blocks->action);
    blocks->action = NULL;
    blocks->actions = 0;
}
