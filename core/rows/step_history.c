/* SPDX-License-Identifier: MIT */
#include "core/rows/step_history.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

struct swi_step_history *swi_step_history_new(void)
{
    struct swi_step_history *history = calloc(1, sizeof *history);
    if (!history)
        return NULL;
    pthread_mutex_init(&history->lock, NULL);
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
    if (!history)
        return;
    rows_free(history);
    pthread_mutex_destroy(&history->lock);
    free(history);
}

void swi_step_history_reset(struct swi_step_history *history)
{
    if (!history)
        return;
    pthread_mutex_lock(&history->lock);
    rows_free(history);
    history->steps = 0;
    history->block = 1;
    pthread_mutex_unlock(&history->lock);
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

void swi_step_history_begin(struct swi_step_history *history)
{
    pthread_mutex_lock(&history->lock);
    if (history->steps == history->block * SWI_HISTORY_COLUMNS)
        halve(history);
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

void swi_step_history_add(struct swi_step_history *history, int action, double ns)
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

void swi_step_history_end(struct swi_step_history *history)
{
    history->steps++;
    pthread_mutex_unlock(&history->lock);
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
