/* SPDX-License-Identifier: MIT */
#include "core/rows/memory_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void swi_memory_use_init(struct swi_memory_use *use)
{
    *use = (struct swi_memory_use){0};
    pthread_mutex_init(&use->lock, NULL);
}

void swi_memory_use_fini(struct swi_memory_use *use)
{
    for (size_t i = 0; i < use->count; i++)
        free(use->series[i].point);
    use->count = 0;
    pthread_mutex_destroy(&use->lock);
}

bool swi_memory_is_name(const char *name)
{
    static const char used[] = "/memory_used_bytes";
    size_t size = strlen(name), end = sizeof used - 1;
    if (strcmp(name, "process/rss_bytes") == 0)
        return true;
    return strncmp(name, "gpu/", 4) == 0 && size > end + 4 && strcmp(name + size - end, used) == 0;
}

/* Returns NULL if it is full or out of memory. */
static struct swi_memory_series *series_of(struct swi_memory_use *use, const char *name)
{
    for (size_t i = 0; i < use->count; i++)
        if (strcmp(use->series[i].name, name) == 0)
            return &use->series[i];
    struct swi_memory_series *series = &use->series[use->count];
    if (use->count == SWI_MEMORY_SERIES || strlen(name) >= sizeof series->name)
        return NULL;
    *series = (struct swi_memory_series){.each = 1};
    snprintf(series->name, sizeof series->name, "%s", name);
    series->point = calloc(SWI_MEMORY_POINTS, sizeof *series->point);
    use->count += series->point != NULL;
    return series->point ? series : NULL;
}

/* Joins each two points. */
static void halve(struct swi_memory_series *series)
{
    for (size_t i = 0; i < SWI_MEMORY_POINTS / 2; i++) {
        const struct swi_memory_point *two = &series->point[2 * i];
        series->point[i] = (struct swi_memory_point){(two[0].t_ns + two[1].t_ns) / 2,
                                                     (two[0].bytes + two[1].bytes) / 2};
    }
    series->count = SWI_MEMORY_POINTS / 2;
    series->each *= 2;
    series->in_last = series->each;
}

static void point_add(struct swi_memory_series *series, double t_ns, double bytes)
{
    bool full = series->in_last == series->each;
    if (full && series->count == SWI_MEMORY_POINTS)
        halve(series);
    if (full || !series->count) {
        series->point[series->count++] = (struct swi_memory_point){0};
        series->in_last = 0;
    }
    struct swi_memory_point *point = &series->point[series->count - 1];
    double share = 1 / (double)++series->in_last;
    point->t_ns += (t_ns - point->t_ns) * share;
    point->bytes += (bytes - point->bytes) * share;
}

/* Reuses the series of the previous fit. */
static void fit_begin(struct swi_memory_use *use, int fit)
{
    for (size_t i = 0; i < use->count; i++) {
        use->series[i].count = 0;
        use->series[i].each = 1;
        use->series[i].in_last = 0;
    }
    use->fit = fit;
}

void swi_memory_use_add(struct swi_memory_use *use, int fit, const char *name, double t_ns,
                        double bytes)
{
    if (!isfinite(bytes))
        return;
    pthread_mutex_lock(&use->lock);
    if (use->fit != fit)
        fit_begin(use, fit);
    struct swi_memory_series *series = series_of(use, name);
    if (series)
        point_add(series, t_ns, bytes);
    pthread_mutex_unlock(&use->lock);
}
