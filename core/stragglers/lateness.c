/* SPDX-License-Identifier: MIT */
#include "core/stragglers/lateness.h"
#include "core/stragglers/medians.h"

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

double swi_lateness_median(struct swi_lateness *f, const double *value, size_t step)
{
    for (size_t r = 0; r < f->ranks; r++)
        f->column[r] = swi_lateness_at(f, value, r, step);
    return swi_median_of(f->column, f->ranks);
}

static void add(double *sum, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += value[i];
}

static void add_all(struct swi_lateness *f, bool waits, double *sum)
{
    size_t cells = f->ranks * f->steps;
    memset(sum, 0, cells * sizeof *sum);
    for (size_t a = 0; a < f->data->actions; a++)
        if (f->data->action[a].waits == waits)
            add(sum, f->data->action[a].value, cells);
}

/* Returns the values of the only action that waits, or NULL if there are several. */
static double *only_wait(const struct swi_rank_durations *data)
{
    double *only = NULL;
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
    if (!only_wait(f->data))
        add_all(f, true, f->idle);
    add_all(f, false, f->work);
    add(f->work, f->idle, cells);
    f->step = swi_median_of(f->work, cells);
    add_all(f, false, f->work);
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
    double *only = only_wait(data);
    f->work = calloc((only ? 1 : 2) * cells + 3 * (f->ranks + f->steps), sizeof *f->work);
    f->row = calloc(f->ranks + f->steps, sizeof *f->row);
    f->order = calloc(f->ranks, sizeof *f->order);
    if (!f->work || !f->row || !f->order)
        return false;
    f->usual = f->work + cells;
    f->middle = f->usual + f->ranks;
    f->column = f->middle + f->steps;
    f->idle = only ? only : f->column + 2 * (f->ranks + f->steps);
    f->high = f->row + f->ranks;
    sum_up(f);
    return true;
}

void swi_lateness_fini(struct swi_lateness *f)
{
    free(f->work);
    free(f->row);
    free(f->order);
}
