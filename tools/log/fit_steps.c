/* SPDX-License-Identifier: MIT */
#include "tools/log/log_fits.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* Returns the array with room for this many. If out of memory, returns it unchanged and sets fine
 * to false. */
static void *resized(void *array, size_t count, size_t size, bool *fine)
{
    void *other = realloc(array, count * size);
    *fine = *fine && other;
    /* cppcheck-suppress memleak ; it is returned */
    return other ? other : array;
}

static bool room_set(struct fit_steps *steps, struct swi_advised *fit, size_t room)
{
    bool fine = true;
    fit->number = resized(fit->number, room, sizeof *fit->number, &fine);
    fit->samples = resized(fit->samples, room, sizeof *fit->samples, &fine);
    fit->first = resized(fit->first, room, sizeof *fit->first, &fine);
    fit->draw_ns = resized(fit->draw_ns, room, sizeof *fit->draw_ns, &fine);
    fit->batch_ns = resized(fit->batch_ns, room, sizeof *fit->batch_ns, &fine);
    for (size_t i = 0; i < fit->actions; i++)
        fit->action[i].ns = resized(fit->action[i].ns, room, sizeof *fit->action[i].ns, &fine);
    if (fine)
        steps->room = room;
    return fine;
}

/* Returns the most steps that are kept: fewer of many actions. */
static size_t most_of(const struct swi_advised *fit)
{
    size_t actions = fit->actions;
    return actions <= FIT_COLUMNS / 4 ? FIT_STEPS
                                      : FIT_STEPS / (actions <= FIT_COLUMNS / 2 ? 2 : 4);
}

static bool room_make(struct fit_steps *steps, struct swi_advised *fit)
{
    size_t room = 2 * steps->room + 256;
    if (fit->steps < steps->room)
        return true;
    return room_set(steps, fit, room < FIT_STEPS ? room : FIT_STEPS);
}

/* ---- dropping every second block ------------------------------------------------------------- */

static size_t blocks_of(const struct swi_advised *fit)
{
    return fit->steps / FIT_BLOCK;
}

static void blocks_thin(void *array, size_t blocks, size_t size)
{
    char *block = array;
    for (size_t i = 1; 2 * i < blocks; i++)
        memcpy(block + i * size, block + 2 * i * size, size);
}

/* An action that ran last in a block that is dropped counts as one of the block before. */
static size_t last_kept(size_t last)
{
    size_t block = last / FIT_BLOCK, within = last % FIT_BLOCK;
    return block / 2 * FIT_BLOCK + (block % 2 ? FIT_BLOCK - 1 : within);
}

static void thin(struct fit_steps *steps, struct swi_advised *fit)
{
    size_t blocks = blocks_of(fit);
    blocks_thin(steps->block_position, blocks, sizeof *steps->block_position);
    blocks_thin(fit->number, blocks, FIT_BLOCK * sizeof *fit->number);
    blocks_thin(fit->samples, blocks, FIT_BLOCK * sizeof *fit->samples);
    blocks_thin(fit->first, blocks, FIT_BLOCK * sizeof *fit->first);
    blocks_thin(fit->draw_ns, blocks, FIT_BLOCK * sizeof *fit->draw_ns);
    blocks_thin(fit->batch_ns, blocks, FIT_BLOCK * sizeof *fit->batch_ns);
    for (size_t i = 0; i < fit->actions; i++) {
        blocks_thin(fit->action[i].ns, blocks, FIT_BLOCK * sizeof *fit->action[i].ns);
        fit->action[i].last = last_kept(fit->action[i].last);
    }
    fit->steps = (blocks + 1) / 2 * FIT_BLOCK;
    steps->every *= 2;
}

/* ---- many actions ---------------------------------------------------------------------------- */

static struct swi_advised_action *rest_of(struct swi_advised *fit)
{
    struct swi_advised_action *rest = &fit->action[FIT_COLUMNS - 1];
    rest->name = SWI_OTHER_ACTIONS;
    return rest;
}

/* Makes one of all that are too many. */
static void columns_join(struct swi_advised *fit)
{
    while (fit->actions > FIT_COLUMNS) {
        struct swi_advised_action *rest = rest_of(fit), *more = &fit->action[--fit->actions];
        for (size_t i = 0; i < fit->steps; i++)
            rest->ns[i] += more->ns[i];
        rest->last = more->last > rest->last ? more->last : rest->last;
        free(more->ns);
    }
}

/* Returns NULL if out of memory. */
static struct swi_advised_action *action_of(struct fit_steps *steps, struct swi_advised *fit,
                                            const char *name)
{
    bool full = fit->steps >= FIT_BLOCK && fit->actions >= FIT_COLUMNS;
    if (full && (size_t)swi_map_find(&steps->names, name, strlen(name)) >= FIT_COLUMNS)
        return rest_of(fit);
    struct swi_advised_action *action =
        swi_map_item(&steps->names, &fit->action, sizeof *action, name, strlen(name));
    if (!action || action->name)
        return action;
    double *ns = calloc(steps->room, sizeof *ns);
    if (!ns) {
        swi_map_undo(&steps->names);
        return NULL;
    }
    action->name = steps->names.name[fit->actions++].text;
    action->ns = ns;
    return action;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Where a block begins, makes room for it. */
static bool block_begin(struct fit_steps *steps, struct swi_advised *fit)
{
    if (fit->steps == 0 || fit->steps % FIT_BLOCK)
        return true;
    columns_join(fit);
    bool full = fit->steps >= most_of(fit);
    while (fit->steps >= most_of(fit))
        thin(steps, fit);
    return !full || room_set(steps, fit, most_of(fit));
}

bool fit_steps_begin(struct fit_steps *steps, struct swi_advised *fit, struct fit_step *step)
{
    int64_t block = steps->seen / FIT_BLOCK;
    *step = (struct fit_step){.stored = block % steps->every == 0};
    if (!step->stored)
        return true;
    bool fine = block_begin(steps, fit) && room_make(steps, fit);
    step->stored = fine && block % steps->every == 0;
    for (size_t i = 0; step->stored && i < fit->actions; i++)
        fit->action[i].ns[fit->steps] = 0;
    return fine;
}

bool fit_steps_part(struct fit_steps *steps, struct swi_advised *fit, const char *name, double ns)
{
    struct swi_advised_action *action = action_of(steps, fit, name);
    if (!action)
        return false;
    action->last = fit->steps;
    action->ns[fit->steps] += ns;
    return true;
}

int64_t fit_steps_some(const struct fit_steps *steps, const struct fit_step *step, int64_t count)
{
    int64_t left = FIT_BLOCK - steps->seen % FIT_BLOCK;
    return step->stored ? 1 : count < left ? count : left;
}

void fit_steps_end(struct fit_steps *steps, struct swi_advised *fit, const struct fit_step *step,
                   int64_t count)
{
    size_t at = fit->steps;
    steps->position = (step->first ? -1 : steps->position) + count;
    steps->seen += count;
    if (!step->stored)
        return;
    if (at % FIT_BLOCK == 0)
        steps->block_position[blocks_of(fit)] = steps->position;
    fit->number[at] = step->number;
    fit->samples[at] = step->samples;
    fit->first[at] = step->first;
    fit->draw_ns[at] = step->draw_ns;
    fit->batch_ns[at] = step->batch_ns;
    fit->steps++;
}

void fit_steps_describe(const struct fit_steps *steps, struct swi_advised *fit)
{
    fit->block = steps->every > 1 ? FIT_BLOCK : 0;
    fit->block_place = steps->block_position;
    fit->between_blocks = steps->seen - (int64_t)fit->steps;
}

void fit_steps_free(struct fit_steps *steps, struct swi_advised *fit)
{
    for (size_t i = 0; i < fit->actions; i++)
        free(fit->action[i].ns);
    free(fit->action);
    free(fit->number);
    free(fit->samples);
    free(fit->first);
    free(fit->draw_ns);
    free(fit->batch_ns);
    swi_map_free(&steps->names);
    fit->action = NULL;
    fit->actions = 0;
    fit->number = fit->samples = NULL;
    fit->first = NULL;
    fit->draw_ns = fit->batch_ns = NULL;
    steps->room = 0;
}
