/* SPDX-License-Identifier: MIT */
#include "tools/log/fit_series.h"

#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

static bool series_make(struct fit_series *series, struct swi_advised *fit, size_t at,
                        const char *name)
{
    size_t count = fit->series_count;
    char *copy = strdup(name);
    if (!copy || !swi_vec_room(&fit->series, count, sizeof *fit->series) ||
        !swi_vec_room(&series->last, count, sizeof *series->last)) {
        free(copy);
        return false;
    }
    memmove(fit->series + at + 1, fit->series + at, (count - at) * sizeof *fit->series);
    memmove(series->last + at + 1, series->last + at, (count - at) * sizeof *series->last);
    fit->series[at] = (struct swi_advised_series){.name = copy};
    series->last[at] = (struct fit_series_last){1, 1};
    fit->series_count++;
    return true;
}

/* Series stay sorted by name. Returns the number of one, or -1 if out of memory. */
static ptrdiff_t series_find(struct fit_series *series, struct swi_advised *fit, const char *name)
{
    size_t at = 0;
    while (at < fit->series_count && strcmp(fit->series[at].name, name) < 0)
        at++;
    bool is_there = at < fit->series_count && strcmp(fit->series[at].name, name) == 0;
    return is_there || series_make(series, fit, at, name) ? (ptrdiff_t)at : -1;
}

/* Joins each two points. */
static void halve(struct swi_advised_series *of, struct fit_series_last *last)
{
    for (size_t i = 0; i < of->count / 2; i++) {
        of->t_ns[i] = (of->t_ns[2 * i] + of->t_ns[2 * i + 1]) / 2;
        of->value[i] = (of->value[2 * i] + of->value[2 * i + 1]) / 2;
    }
    of->count /= 2;
    last->each *= 2;
    last->in_last = last->each;
}

static bool point_begin(struct swi_advised_series *of, struct fit_series_last *last)
{
    if (of->count == FIT_POINTS)
        halve(of, last);
    if (!swi_vec_room(&of->t_ns, of->count, sizeof *of->t_ns) ||
        !swi_vec_room(&of->value, of->count, sizeof *of->value))
        return false;
    of->t_ns[of->count] = of->value[of->count] = 0;
    of->count++;
    last->in_last = 0;
    return true;
}

bool fit_series_add(struct fit_series *series, struct swi_advised *fit, const char *name,
                    double t_ns, double value)
{
    ptrdiff_t at = series_find(series, fit, name);
    if (at < 0)
        return false;
    struct swi_advised_series *of = &fit->series[at];
    struct fit_series_last *last = &series->last[at];
    if (last->in_last == last->each && !point_begin(of, last))
        return false;
    double share = 1 / (double)++last->in_last, *point = &of->value[of->count - 1];
    of->t_ns[of->count - 1] += (t_ns - of->t_ns[of->count - 1]) * share;
    *point += (value - *point) * share;
    return true;
}

void fit_series_free(struct fit_series *series, struct swi_advised *fit)
{
    for (size_t i = 0; i < fit->series_count; i++) {
        free((void *)fit->series[i].name);
        free(fit->series[i].t_ns);
        free(fit->series[i].value);
    }
    free(fit->series);
    free(series->last);
    fit->series = NULL;
    fit->series_count = 0;
    series->last = NULL;
}
