/* SPDX-License-Identifier: MIT */
#include "core/stragglers/order_statistics.h"

#include <math.h>

static void swap(double *a, double *b)
{
    double swapped = *a;
    *a = *b;
    *b = swapped;
}

/* Hoare's partition: returns an index below high; no value up to it is greater than one after it.
 */
static size_t partition(double *value, size_t low, size_t high)
{
    double pivot = value[low + (high - low) / 2];
    size_t i = low, j = high;
    for (;;) {
        while (value[i] < pivot)
            i++;
        while (value[j] > pivot)
            j--;
        if (i >= j)
            return j;
        swap(&value[i++], &value[j--]);
    }
}

void swi_select_kth(double *value, size_t count, size_t k)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t end = partition(value, low, high);
        if (k <= end)
            high = end;
        else
            low = end + 1;
    }
}

double swi_median_of(double *value, size_t count)
{
    if (count == 0)
        return 0;
    size_t middle = count / 2;
    swi_select_kth(value, count, middle);
    if (count % 2)
        return value[middle];
    double below = value[0];
    for (size_t i = 1; i < middle; i++)
        below = value[i] > below ? value[i] : below;
    return (below + value[middle]) / 2;
}

double swi_spread_of(double *value, size_t count)
{
    double middle = swi_median_of(value, count);
    for (size_t i = 0; i < count; i++)
        value[i] = fabs(value[i] - middle);
    return 1.4826 * swi_median_of(value, count);
}
