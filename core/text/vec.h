/* SPDX-License-Identifier: MIT */
/* vec.h - arrays that grow, and the order of their items. */
#ifndef CORE_TEXT_VEC_H
#define CORE_TEXT_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for one more item in an array.
 *
 * items: the address of the pointer to the array, which may be NULL and may move.
 * count: how many items it has. room: for how many it has memory.
 * size: bytes of an item.
 *
 * Returns false if out of memory; the array stays as it is. */
bool swi_vec_grow(void *items, size_t count, size_t *room, size_t size);

/* The same for an array that grows only by this function, one item after the other: it is full if
 * its count is 0 or a power of two. */
bool swi_vec_room(void *items, size_t count, size_t size);

/* Makes room for the item with a number in an array of items that are found by their numbers, which
 * are small. New items are zeroed. The parameters are those of swi_vec_grow(). */
bool swi_vec_reach(void *items, size_t number, size_t *room, size_t size);

/* ---- for qsort(): the smallest first ---- */

static inline int swi_by_integer(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline int swi_by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns a quantile of sorted values, of which there is at least one: interpolates at the position
 * p (count - 1), like sw_quantile() of the same values. */
static inline double swi_sorted_quantile(const double *sorted, size_t count, double p)
{
    double position = p * (double)(count - 1);
    size_t low = (size_t)position;
    if (low + 1 >= count)
        return sorted[low];
    return sorted[low] + (position - (double)low) * (sorted[low + 1] - sorted[low]);
}

#endif
