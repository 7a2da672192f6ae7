/* SPDX-License-Identifier: MIT */
#include "core/advice/slow_places.h"

#include "core/advice/sample_statistics.h"

#include <math.h>
#include <stdlib.h>

#define DEVIATIONS 6.0
enum { SIZE_LEAST = 16 };

/* A step and the size of its batch. */
struct sized {
    int64_t size;
    size_t at;
};

static int by_size(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Values of one size, and memory for as many. */
struct compared {
    double *x, *low, *rest, *scratch;
};

static bool compared_init(struct compared *c, size_t n)
{
    *c = (struct compared){.x = calloc(4 * n + 1, sizeof *c->x)};
    c->low = c->x + n;
    c->rest = c->low + n;
    c->scratch = c->rest + n;
    return c->x;
}

/* Returns the deviation of the steps that are not slow, so that the slow ones do not hide
 * themselves. */
static double deviation_of(const struct compared *c, size_t n)
{
    double q40 = swi_sample_quantile(c->rest, n, 0.40, c->scratch);
    double q10 = swi_sample_quantile(c->rest, n, 0.10, c->scratch);
    return fmax(0, (q40 - q10) / 1.0283);
}

static void class_find(struct swi_places *places, struct compared *c, const struct sized *sized,
                       size_t n, double least)
{
    swi_rolling_quantile(c->x, n, 0.25, c->low);
    for (size_t i = 0; i < n; i++)
        c->rest[i] = c->x[i] - c->low[i];
    double limit = fmax(DEVIATIONS * deviation_of(c, n), least);
    for (size_t i = 0; i < n; i++) {
        if (!(c->rest[i] > limit))
            continue;
        places->at[places->count++] = sized[i].at;
        places->more[sized[i].at] = c->rest[i];
    }
}

static void classes_find(struct swi_places *places, struct compared *c, const double *x,
                         const struct sized *sized, size_t n, double least, bool all)
{
    for (size_t i = 0, end; i < n; i = end) {
        end = i;
        while (end < n && sized[end].size == sized[i].size) {
            c->x[end - i] = x[sized[end].at];
            end++;
        }
        if (all || end - i >= SIZE_LEAST)
            class_find(places, c, sized + i, end - i, least);
    }
}

bool swi_places_find(struct swi_places *places, const double *x, size_t n, double least,
                     const int64_t *size)
{
    struct compared c;
    struct sized *sized = calloc(n + 1, sizeof *sized);
    *places = (struct swi_places){.at = calloc(n + 1, sizeof *places->at),
                                  .more = calloc(n + 1, sizeof *places->more)};
    bool fine = compared_init(&c, n) && sized && places->at && places->more;
    if (fine) {
        for (size_t i = 0; i < n; i++)
            sized[i] = (struct sized){size ? size[i] : 0, i};
        swi_sort(sized, n, sizeof *sized, by_size);
        classes_find(places, &c, x, sized, n, least, !size);
        swi_sort(places->at, places->count, sizeof *places->at, ascending);
        for (size_t i = 0; i < places->count; i++)
            places->cost += places->more[places->at[i]];
    }
    free(c.x);
    free(sized);
    return fine;
}

void swi_places_fini(struct swi_places *places)
{
    free(places->at);
    free(places->more);
    *places = (struct swi_places){0};
}
