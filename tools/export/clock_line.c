/* SPDX-License-Identifier: MIT */
#include "tools/export/clock_line.h"

#include "core/stragglers/medians.h"

#include <math.h>
#include <stdlib.h>

enum { KEPT_MOST = 4096, NEEDED = 8 };

/* ---- moments --------------------------------------------------------------------------------- */

/* Drops every other moment. */
static void thin(struct moments *moments)
{
    moments->count /= 2;
    for (size_t i = 0; i < moments->count; i++)
        moments->at_ns[i] = moments->at_ns[2 * i];
    moments->stride *= 2;
}

bool moments_add(struct moments *moments, double at_ns)
{
    if (!moments->at_ns) {
        moments->at_ns = calloc(KEPT_MOST, sizeof *moments->at_ns);
        moments->stride = 1;
        if (!moments->at_ns)
            return false;
    }
    if (moments->count == KEPT_MOST)
        thin(moments);
    if (moments->seen++ % moments->stride == 0)
        moments->at_ns[moments->count++] = at_ns;
    return true;
}

void moments_free(struct moments *moments)
{
    free(moments->at_ns);
    *moments = (struct moments){0};
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The moments of all ranks, in rows of the same moment. */
struct lateness {
    size_t ranks, count;
    double *late;   /* [count][ranks]: less the median of the rank's row */
    double *common; /* [count]: the medians, less their mean */
    double *some;   /* room for a column or a row */
    double origin_ns, mean_ns;
};

static double moment_at(const struct moments *moments, size_t stride, size_t i)
{
    return moments->at_ns[i * (stride / moments->stride)];
}

/* Returns how many moments all ranks have, and their distance in *stride. */
static size_t common_count(const struct moments *moments, size_t ranks, size_t *stride)
{
    size_t seen = moments[0].seen;
    *stride = 1;
    for (size_t r = 0; r < ranks; r++) {
        seen = moments[r].seen < seen ? moments[r].seen : seen;
        *stride = moments[r].stride > *stride ? moments[r].stride : *stride;
    }
    return (seen + *stride - 1) / *stride;
}

static bool lateness_make(struct lateness *all, const struct moments *moments, size_t ranks)
{
    size_t stride, most;
    *all = (struct lateness){.ranks = ranks, .count = common_count(moments, ranks, &stride)};
    if (all->count < NEEDED)
        return false;
    most = all->count > ranks ? all->count : ranks;
    all->late = malloc(all->count * ranks * sizeof *all->late);
    all->common = malloc(all->count * sizeof *all->common);
    all->some = malloc(most * sizeof *all->some);
    if (!all->late || !all->common || !all->some)
        return false;
    all->origin_ns = moments[0].at_ns[0]; /* small numbers keep their digits */
    for (size_t i = 0; i < all->count; i++) {
        double *row = all->late + i * ranks;
        for (size_t r = 0; r < ranks; r++)
            all->some[r] = row[r] = moment_at(&moments[r], stride, i) - all->origin_ns;
        all->common[i] = swi_median_of(all->some, ranks);
        all->mean_ns += all->common[i] / (double)all->count;
        for (size_t r = 0; r < ranks; r++)
            row[r] -= all->common[i];
    }
    for (size_t i = 0; i < all->count; i++)
        all->common[i] -= all->mean_ns;
    return true;
}

static void lateness_free(struct lateness *all)
{
    free(all->late);
    free(all->common);
    free(all->some);
}

static double median_of_times(const struct lateness *all, size_t from, size_t upto)
{
    for (size_t i = from; i < upto; i++)
        all->some[i - from] = all->common[i];
    return swi_median_of(all->some, upto - from);
}

/* The median of what a rank is late, less slope * t. */
static double median_late(const struct lateness *all, size_t rank, double slope, size_t from,
                          size_t upto)
{
    for (size_t i = from; i < upto; i++)
        all->some[i - from] = all->late[i * all->ranks + rank] - slope * all->common[i];
    return swi_median_of(all->some, upto - from);
}

/* The line of one rank, with ahead_ns at the mean of the times. */
static struct clock_line line_through(const struct lateness *all, size_t rank)
{
    size_t half = all->count / 2;
    double width = median_of_times(all, half, all->count) - median_of_times(all, 0, half);
    double rise = median_late(all, rank, 0, half, all->count) - median_late(all, rank, 0, 0, half);
    struct clock_line line = {.slope = width > 0 ? rise / width : 0};
    line.ahead_ns = median_late(all, rank, line.slope, 0, all->count);
    return line;
}

static double median_rest(const struct lateness *all, size_t rank, const struct clock_line *line)
{
    for (size_t i = 0; i < all->count; i++)
        all->some[i] =
            fabs(all->late[i * all->ranks + rank] - line->slope * all->common[i] - line->ahead_ns);
    return swi_median_of(all->some, all->count);
}

/* Takes the median of all lines off each of them: the slowest half is as wrong as the fastest. */
static void lines_center(struct lateness *all, struct clock_line *line)
{
    for (size_t r = 0; r < all->ranks; r++)
        all->some[r] = line[r].ahead_ns;
    double ahead_ns = swi_median_of(all->some, all->ranks);
    for (size_t r = 0; r < all->ranks; r++)
        all->some[r] = line[r].slope;
    double slope = swi_median_of(all->some, all->ranks);
    for (size_t r = 0; r < all->ranks; r++)
        line[r] = (struct clock_line){line[r].ahead_ns - ahead_ns, line[r].slope - slope};
}

bool clock_lines_fit(struct clock_line *line, const struct moments *moments, const double *began_ns,
                     size_t ranks, double *error_ns)
{
    struct lateness all;
    bool made = lateness_make(&all, moments, ranks);
    *error_ns = 0;
    for (size_t r = 0; made && r < ranks; r++) {
        line[r] = line_through(&all, r);
        *error_ns = fmax(*error_ns, median_rest(&all, r, &line[r]));
    }
    if (made)
        lines_center(&all, line);
    for (size_t r = 0; made && r < ranks; r++)
        line[r].ahead_ns += line[r].slope * (began_ns[r] - all.origin_ns - all.mean_ns);
    lateness_free(&all);
    return made;
}
