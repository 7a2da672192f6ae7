/* SPDX-License-Identifier: MIT */
#include "core/stragglers/lateness.h"
#include "core/stragglers/order_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double swi_lateness_threshold(size_t n)
{
    return sqrt(2 * log(n < 2 ? 2 : (double)n)) + 3;
}

double *swi_lateness_column(struct swi_lateness *f, size_t step)
{
    for (size_t r = 0; r < f->ranks; r++)
        f->column[r] = swi_lateness_late(f, r, step);
    return f->column;
}

double swi_lateness_median(struct swi_lateness *f, const float *value, size_t step)
{
    for (size_t r = 0; r < f->ranks; r++)
        f->column[r] = swi_lateness_at(f, value, r, step);
    return swi_median_of(f->column, f->ranks);
}

static void work_add(struct swi_lateness *f)
{
    size_t cells = f->ranks * f->steps;
    memset(f->work, 0, cells * sizeof *f->work);
    for (size_t a = 0; a < f->data->actions; a++)
        for (size_t i = 0; !f->data->action[a].waits && i < cells; i++)
            f->work[i] += (double)f->data->action[a].value[i];
}

static void idle_add(struct swi_lateness *f)
{
    for (size_t i = 0; i < f->ranks * f->steps; i++) {
        double sum = 0;
        for (size_t a = 0; a < f->data->actions; a++)
            sum += f->data->action[a].waits ? (double)f->data->action[a].value[i] : 0;
        f->idle[i] = (float)sum;
    }
}

/* Returns the values of the only action that waits, or NULL if there are several. */
static float *only_wait(const struct swi_rank_durations *data)
{
    float *only = NULL;
    for (size_t a = 0; a < data->actions; a++) {
        if (data->action[a].waits && only)
            return NULL;
        only = data->action[a].waits ? data->action[a].value : only;
    }
    return only;
}

/* The median of all steps moves the sums of both in the room of one, which is filled again. */
static void sum_up(struct swi_lateness *f)
{
    size_t cells = f->ranks * f->steps;
    if (f->idle_sums)
        idle_add(f);
    work_add(f);
    for (size_t i = 0; i < cells; i++)
        f->work[i] += (double)f->idle[i];
    f->step = swi_median_of(f->work, cells);
    work_add(f);
    for (size_t s = 0; s < f->steps; s++)
        f->middle[s] = swi_lateness_median(f, f->idle, s);
    for (size_t r = 0; r < f->ranks; r++) {
        for (size_t s = 0; s < f->steps; s++)
            f->column[s] = swi_lateness_late(f, r, s);
        f->usual[r] = swi_median_of(f->column, f->steps);
    }
}

bool swi_lateness_init(struct swi_lateness *f, struct swi_straggler *found,
                       const struct swi_rank_durations *data)
{
    *f = (struct swi_lateness){
        .data = data, .found = found, .ranks = data->ranks, .steps = data->steps};
    size_t cells = f->ranks * f->steps;
    f->idle = only_wait(data);
    if (!f->idle)
        f->idle = f->idle_sums = calloc(cells, sizeof *f->idle);
    f->work = calloc(cells + 3 * (f->ranks + f->steps), sizeof *f->work);
    f->row = calloc(f->ranks + f->steps, sizeof *f->row);
    f->order = calloc(f->ranks, sizeof *f->order);
    if (!f->work || !f->idle || !f->row || !f->order)
        return false;
    f->usual = f->work + cells;
    f->middle = f->usual + f->ranks;
    f->column = f->middle + f->steps;
    f->high = f->row + f->ranks;
    sum_up(f);
    return true;
}

void swi_lateness_fini(struct swi_lateness *f)
{
    free(f->work);
    free(f->idle_sums);
    free(f->row);
    free(f->order);
}
