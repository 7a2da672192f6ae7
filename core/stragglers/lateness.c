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

double *swi_lateness_column(struct swi_lateness *f, const double *value, size_t step)
{
    for (size_t r = 0; r < f->ranks; r++)
        f->column[r] = swi_lateness_at(f, value, r, step);
    return f->column;
}

double swi_lateness_median(struct swi_lateness *f, const double *value, size_t step)
{
    return swi_median_of(swi_lateness_column(f, value, step), f->ranks);
}

static void add(double *sum, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += value[i];
}

static void sum_up(struct swi_lateness *f)
{
    size_t cells = f->ranks * f->steps;
    for (size_t a = 0; a < f->data->actions; a++)
        add(f->data->action[a].waits ? f->idle : f->work, f->data->action[a].value, cells);
    for (size_t i = 0; i < cells; i++)
        f->column[i] = f->work[i] + f->idle[i];
    f->step = swi_median_of(f->column, cells);
    for (size_t s = 0; s < f->steps; s++) {
        double middle = swi_lateness_median(f, f->idle, s);
        for (size_t r = 0; r < f->ranks; r++)
            f->late[r * f->steps + s] = middle - swi_lateness_at(f, f->idle, r, s);
    }
    for (size_t r = 0; r < f->ranks; r++) {
        memcpy(f->column, f->late + r * f->steps, f->steps * sizeof *f->column);
        f->usual[r] = swi_median_of(f->column, f->steps);
    }
}

/* Returns how many numbers need room: work, idle, late, column with room for one
 * more value of each rank, and usual. */
static size_t room_of(const struct swi_rank_durations *data)
{
    return 4 * data->ranks * data->steps + 2 * data->ranks;
}

static void room_share(struct swi_lateness *f)
{
    size_t cells = f->ranks * f->steps;
    f->idle = f->work + cells;
    f->late = f->idle + cells;
    f->usual = f->late + cells;
    f->column = f->usual + f->ranks;
    f->high = f->row + f->ranks;
}

bool swi_lateness_init(struct swi_lateness *f, struct swi_straggler *found,
                       const struct swi_rank_durations *data)
{
    *f = (struct swi_lateness){
        .data = data, .found = found, .ranks = data->ranks, .steps = data->steps};
    f->work = calloc(room_of(data), sizeof *f->work);
    f->row = calloc(f->ranks + f->steps, sizeof *f->row);
    f->order = calloc(f->ranks, sizeof *f->order);
    if (!f->work || !f->row || !f->order)
        return false;
    room_share(f);
    sum_up(f);
    return true;
}

void swi_lateness_fini(struct swi_lateness *f)
{
    free(f->work);
    free(f->row);
    free(f->order);
}
