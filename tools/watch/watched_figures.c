/* SPDX-License-Identifier: MIT */
#include "tools/watch/watched_figures.h"

#include <stdlib.h>
#include <string.h>

size_t watched_kept(const struct watched *watched)
{
    return watched->steps < WATCHED_STEPS ? (size_t)watched->steps : WATCHED_STEPS;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double quantile(const int64_t *sorted, size_t count, double p)
{
    double place = p * (double)(count - 1);
    size_t low = (size_t)place, high = low + 1 < count ? low + 1 : low;
    return (double)sorted[low] + (place - (double)low) * (double)(sorted[high] - sorted[low]);
}

struct watched_figures watched_figures(const struct watched *watched, const int64_t *ns)
{
    int64_t sorted[WATCHED_STEPS];
    struct watched_figures figures = {0};
    size_t count = watched_kept(watched);
    if (count == 0)
        return figures;
    memcpy(sorted, ns, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    for (size_t i = 0; i < count; i++)
        figures.sum_ns += (double)sorted[i];
    figures.mean_ns = figures.sum_ns / (double)count;
    figures.p50_ns = quantile(sorted, count, 0.5);
    figures.p99_ns = quantile(sorted, count, 0.99);
    return figures;
}

size_t watched_slowest(const struct watched *watched)
{
    size_t slowest = 0;
    for (size_t i = 1; i < watched_kept(watched); i++)
        if (watched->step_ns[i] > watched->step_ns[slowest])
            slowest = i;
    return slowest;
}

double watched_eta(const struct watched *watched)
{
    int64_t done = watched->step - 1 - watched->first_step;
    int64_t left = watched->expected - watched->step;
    if (watched->first_step < 0 || watched->expected <= 0 || left < 0 || done <= 0)
        return -1;
    return (double)(watched->t_ns - watched->first_t_ns) * 1e-9 * (double)left / (double)done;
}
