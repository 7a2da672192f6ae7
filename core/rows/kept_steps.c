/* SPDX-License-Identifier: MIT */
#include "core/rows/kept_steps.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

struct swi_kept_steps *swi_kept_steps_new(void)
{
    struct swi_kept_steps *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    pthread_mutex_init(&kept->lock, NULL);
    kept->block = 1;
    return kept;
}

static void rows_free(struct swi_kept_steps *kept)
{
    for (size_t i = 0; i < kept->rows; i++)
        free(kept->row[i].sum);
    kept->rows = 0;
}

void swi_kept_steps_free(struct swi_kept_steps *kept)
{
    if (!kept)
        return;
    rows_free(kept);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

void swi_kept_steps_reset(struct swi_kept_steps *kept)
{
    if (!kept)
        return;
    pthread_mutex_lock(&kept->lock);
    rows_free(kept);
    kept->steps = 0;
    kept->block = 1;
    pthread_mutex_unlock(&kept->lock);
}

/* Merges each two columns. */
static void halve(struct swi_kept_steps *kept)
{
    for (size_t i = 0; i < kept->rows; i++) {
        double *sum = kept->row[i].sum;
        for (size_t c = 0; c < SWI_KEPT_COLUMNS / 2; c++)
            sum[c] = sum[2 * c] + sum[2 * c + 1];
        memset(sum + SWI_KEPT_COLUMNS / 2, 0, SWI_KEPT_COLUMNS / 2 * sizeof *sum);
    }
    kept->block *= 2;
}

void swi_kept_steps_begin(struct swi_kept_steps *kept)
{
    pthread_mutex_lock(&kept->lock);
    if (kept->steps == kept->block * SWI_KEPT_COLUMNS)
        halve(kept);
}

static double *row_find(const struct swi_kept_steps *kept, int action)
{
    for (size_t i = 0; i < kept->rows; i++)
        if (kept->row[i].action == action)
            return kept->row[i].sum;
    return NULL;
}

/* Returns NULL if out of memory or room. Then the action is missing. */
static double *row_new(struct swi_kept_steps *kept, int action)
{
    double *sum = kept->rows < SWI_KEPT_ACTIONS ? calloc(SWI_KEPT_COLUMNS, sizeof *sum) : NULL;
    if (sum)
        kept->row[kept->rows++] = (struct swi_kept_row){action, sum};
    return sum;
}

void swi_kept_steps_add(struct swi_kept_steps *kept, int action, double ns)
{
    double *sum = row_find(kept, action);
    if (!sum && kept->rows < SWI_KEPT_ACTIONS - 1)
        sum = row_new(kept, action);
    if (!sum)
        sum = row_find(kept, sw_action("other"));
    if (!sum)
        sum = row_new(kept, sw_action("other"));
    if (sum)
        sum[kept->steps / kept->block] += ns;
}

void swi_kept_steps_end(struct swi_kept_steps *kept)
{
    kept->steps++;
    pthread_mutex_unlock(&kept->lock);
}

size_t swi_kept_steps_columns(const struct swi_kept_steps *kept)
{
    return (size_t)((kept->steps + kept->block - 1) / kept->block);
}

double swi_kept_steps_mean(const struct swi_kept_steps *kept, size_t row, size_t column)
{
    int64_t left = kept->steps - (int64_t)column * kept->block;
    return kept->row[row].sum[column] / (double)(left < kept->block ? left : kept->block);
}
