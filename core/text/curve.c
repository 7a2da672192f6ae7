/* SPDX-License-Identifier: MIT */
#include "core/text/curve.h"
#include "core/text/parts.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

/* Joins each two points. */
static void halve(struct swi_curve *curve)
{
    curve->count /= 2;
    for (size_t i = 0; i < curve->count; i++) {
        curve->x[i] = (curve->x[2 * i] + curve->x[2 * i + 1]) / 2;
        curve->y[i] = (curve->y[2 * i] + curve->y[2 * i + 1]) / 2;
    }
    curve->each *= 2;
}

static bool point_begin(struct swi_curve *curve)
{
    if (!swi_vec_room(&curve->x, curve->count, sizeof *curve->x) ||
        !swi_vec_room(&curve->y, curve->count, sizeof *curve->y))
        return false;
    curve->x[curve->count] = curve->y[curve->count] = 0;
    curve->each = curve->count++ ? curve->each : 1;
    curve->in_last = 0;
    return true;
}

bool swi_curve_add(struct swi_curve *curve, size_t most, double x, double y)
{
    bool full = curve->in_last == curve->each;
    if (full && curve->count == most)
        halve(curve);
    if (full && !point_begin(curve))
        return false;
    size_t last = curve->count - 1;
    double share = 1 / (double)++curve->in_last;
    curve->x[last] += (x - curve->x[last]) * share;
    curve->y[last] += (y - curve->y[last]) * share;
    return true;
}

void swi_curve_free(struct swi_curve *curve)
{
    free(curve->x);
    free(curve->y);
    *curve = (struct swi_curve){0};
}

bool swi_is_memory_name(const char *name)
{
    static const char used[] = "/memory_used_bytes";
    return strcmp(name, "process/rss_bytes") == 0 ||
           (swi_begins(name, "gpu/") && strlen(name) > sizeof used + 3 && swi_ends(name, used));
}
