/* SPDX-License-Identifier: MIT */
#include "core/rows/newest_steps.h"
#include "core/rows/shaped.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>

struct swi_newest_steps *swi_newest_steps_new(void)
{
    struct swi_newest_steps *steps = calloc(1, sizeof *steps);
    if (!steps)
        return NULL;
    steps->last_end = -1;
    steps->first = true;
    return steps;
}

/* The column of an action; the last one is shared by those that come too late. */
static int column_of(struct swi_newest_steps *steps, int action)
{
    int count = SWI_GET(steps->actions);
    for (int i = 0; i < count; i++)
        if (SWI_GET(steps->action[i]) == action)
            return i;
    if (count == SWI_NEWEST_ACTIONS)
        return count - 1;
    SWI_SET(steps->action[count], count == SWI_NEWEST_ACTIONS - 1 ? SWI_NEWEST_REST : action);
    atomic_store_explicit(&steps->actions, count + 1, memory_order_release);
    return count;
}

static void region_add(struct swi_newest_steps *steps, struct swi_newest_step *step,
                       const struct swi_ended *ended)
{
    const struct swi_row *row = SWI_GET(ended->row);
    int64_t ticks = SWI_GET(ended->ticks);
    if (row->is_inner || row->action == SW_BATCH)
        return;
    int column = column_of(steps, swi_action_base(row->action));
    SWI_SET(steps->last[column], SWI_GET(steps->count));
    if (ticks > 0)
        SWI_SET(step->ticks[column], SWI_GET(step->ticks[column]) + ticks);
}

static void between_add(struct swi_newest_steps *steps, int64_t ticks, int64_t now)
{
    int64_t gap = now - steps->last_end - ticks;
    if (steps->last_end >= 0 && gap > 0)
        SWI_SET(steps->between, SWI_GET(steps->between) + gap);
    steps->last_end = now;
    steps->first = false;
}

/* A batch may claim any number of samples: the sum stops at the largest number. */
static int64_t sum_of(int64_t sum, int64_t samples)
{
    return __builtin_add_overflow(sum, samples, &sum) ? INT64_MAX : sum;
}

void swi_newest_steps_add(struct swi_newest_steps *steps, const struct swi_told_step *newest,
                          const struct swi_ended *ended, uint32_t count, int64_t now)
{
    int64_t number = SWI_GET(steps->count), samples = newest->samples > 0 ? newest->samples : 0;
    struct swi_newest_step *step = &steps->step[number % SWI_NEWEST_STEPS];
    for (int i = 0; i < SWI_NEWEST_ACTIONS; i++)
        SWI_SET(step->ticks[i], 0);
    SWI_SET(step->number, newest->number);
    SWI_SET(step->samples, samples);
    SWI_SET(step->first, steps->first);
    SWI_SET(step->draw, newest->draw);
    SWI_SET(step->batch, newest->batch);
    for (uint32_t i = 0; i < count; i++)
        region_add(steps, step, &ended[i]);
    between_add(steps, newest->draw + newest->batch, now);
    SWI_SET(steps->samples, sum_of(SWI_GET(steps->samples), samples));
    atomic_store_explicit(&steps->count, number + 1, memory_order_release);
}

void swi_newest_steps_other(struct swi_newest_steps *steps, bool cancelled, int64_t now)
{
    steps->last_end = cancelled ? -1 : now;
    steps->first = steps->first && cancelled;
}

void swi_newest_steps_cut(struct swi_newest_steps *steps, bool begins)
{
    steps->last_end = -1;
    steps->first = steps->first || begins;
}
