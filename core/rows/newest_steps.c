/* SPDX-License-Identifier: MIT */
#include "core/rows/newest_steps.h"
#include "core/counters/counted_memory.h"
#include "core/rows/action.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

void swi_newest_steps_empty(struct swi_newest_steps *steps)
{
    steps->count = 0;
    steps->more = 0;
    steps->samples = 0;
    steps->between = 0;
    steps->actions = 0;
    steps->last_end = -1;
    steps->first = true;
    steps->next_column = 0;
}

/* Steps that are never reached take no memory. */
struct swi_newest_steps *swi_newest_steps_new(void)
{
    SWI_OWN_MEMORY;
    struct swi_newest_steps *steps = calloc(1, sizeof *steps);
    if (steps)
        swi_newest_steps_empty(steps);
    return steps;
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Returns the column of an action. Actions that come too late share the last one. Most steps run
 * the same actions in the same order, so the search begins after the column that was found last. */
static int column_of(struct swi_newest_steps *steps, int action)
{
    int count = steps->actions;
    for (int i = steps->next_column, tried = 0; tried < count; tried++, i++) {
        i = i < count ? i : 0;
        if (steps->action[i] == action)
            return i;
    }
    if (count == SWI_NEWEST_ACTIONS)
        return count - 1;
    steps->action[count] = count == SWI_NEWEST_ACTIONS - 1 ? SWI_NEWEST_REST : action;
    steps->actions = count + 1;
    return count;
}

static void region_add(struct swi_newest_steps *steps, struct swi_newest_step *step,
                       const struct swi_ended *ended)
{
    const struct swi_row *row = ended->row;
    int64_t ticks = ended->ticks;
    if (row->is_inner || row->action == SW_BATCH)
        return;
    int column = column_of(steps, swi_action_base(row->action));
    steps->next_column = column + 1;
    steps->last[column] = steps->count;
    if (ticks > 0)
        step->ticks[column] = step->ticks[column] + ticks;
}

static void between_add(struct swi_newest_steps *steps, int64_t ticks, int64_t now)
{
    int64_t last = steps->last_end, gap = now - last - ticks;
    if (last >= 0 && gap > 0)
        steps->between = steps->between + gap;
    steps->last_end = now;
    steps->first = false;
}

/* A batch may claim any number of samples: the sum stops at the largest number. */
static int64_t sum_of(int64_t sum, int64_t samples)
{
    return __builtin_add_overflow(sum, samples, &sum) ? INT64_MAX : sum;
}

void swi_newest_steps_add(struct swi_newest_steps *steps, const struct swi_step *ended)
{
    int64_t number = steps->count, samples = ended->samples > 0 ? ended->samples : 0;
    struct swi_newest_step *step = &steps->step[number % SWI_NEWEST_STEPS];
    for (int i = 0; i < SWI_NEWEST_ACTIONS; i++)
        step->ticks[i] = 0;
    step->number = ended->number;
    step->samples = samples;
    step->first = steps->first;
    step->times = (int32_t)ended->times;
    step->draw = ended->draw;
    step->batch = ended->batch;
    const struct swi_ended *region = ended->ended + ended->first;
    const struct swi_ended *const end = ended->ended + ended->count;
    for (; region < end; region++)
        region_add(steps, step, region);
    between_add(steps, ended->draw + ended->batch, ended->end);
    steps->samples = sum_of(steps->samples, samples);
    steps->more += ended->times - 1;
    steps->count = number + 1;
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

struct swi_step_history *swi_step_history_new(void)
{
    struct swi_step_history *history = calloc(1, sizeof *history);
    if (history)
        history->block = 1;
    return history;
}

static void rows_free(struct swi_step_history *history)
{
    for (size_t i = 0; i < history->rows; i++)
        free(history->row[i].sum);
    history->rows = 0;
}

void swi_step_history_free(struct swi_step_history *history)
{
    if (history)
        rows_free(history);
    free(history);
}

void swi_step_history_reset(struct swi_step_history *history)
{
    if (!history)
        return;
    rows_free(history);
    history->steps = 0;
    history->block = 1;
}

/* Merges each two columns. */
static void halve(struct swi_step_history *history)
{
    for (size_t i = 0; i < history->rows; i++) {
        double *sum = history->row[i].sum;
        for (size_t c = 0; c < SWI_HISTORY_COLUMNS / 2; c++)
            sum[c] = sum[2 * c] + sum[2 * c + 1];
        memset(sum + SWI_HISTORY_COLUMNS / 2, 0, SWI_HISTORY_COLUMNS / 2 * sizeof *sum);
    }
    history->block *= 2;
}

static double *row_find(const struct swi_step_history *history, int action)
{
    for (size_t i = 0; i < history->rows; i++)
        if (history->row[i].action == action)
            return history->row[i].sum;
    return NULL;
}

/* Returns NULL if out of memory or room. Then the action is missing. */
static double *row_new(struct swi_step_history *history, int action)
{
    double *sum =
        history->rows < SWI_HISTORY_ACTIONS ? calloc(SWI_HISTORY_COLUMNS, sizeof *sum) : NULL;
    if (sum)
        history->row[history->rows++] = (struct swi_history_row){action, sum};
    return sum;
}

static void history_add(struct swi_step_history *history, int action, double ns)
{
    double *sum = row_find(history, action);
    if (!sum && history->rows < SWI_HISTORY_ACTIONS - 1)
        sum = row_new(history, action);
    if (!sum)
        sum = row_find(history, sw_action("other"));
    if (!sum)
        sum = row_new(history, sw_action("other"));
    if (sum)
        sum[history->steps / history->block] += ns;
}

/* The time of the batch without the actions in it. */
void swi_step_history_step(struct swi_step_history *history, const struct swi_step *step,
                           double ns_per_tick)
{
    double batch = 0, inside = 0;
    if (history->steps == history->block * SWI_HISTORY_COLUMNS)
        halve(history);
    for (uint32_t i = step->from; i < step->count; i++) {
        const struct swi_row *row = step->ended[i].row;
        if (swi_step_is_drawn(step, i) || row->is_inner)
            continue;
        double ns = (double)swi_ticks_ns(step->ended[i].ticks, ns_per_tick);
        batch += row->action == SW_BATCH ? ns : 0;
        inside += row->action == SW_BATCH || row->action == SW_DRAW ? 0 : ns;
        if (row->action != SW_BATCH)
            history_add(history, swi_action_base(row->action), ns);
    }
    history_add(history, SW_BATCH, batch > inside ? batch - inside : 0);
    history->steps++;
}

size_t swi_step_history_columns(const struct swi_step_history *history)
{
    return (size_t)((history->steps + history->block - 1) / history->block);
}

double swi_step_history_mean(const struct swi_step_history *history, size_t row, size_t column)
{
    int64_t left = history->steps - (int64_t)column * history->block;
    return history->row[row].sum[column] / (double)(left < history->block ? left : history->block);
}
