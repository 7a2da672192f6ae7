/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/distribution.h"

#include <inttypes.h>
#include <stdlib.h>

/* Returns the bin: exponent and six leading bits of a duration as a double, so 64 bins for each
 * power of two. Durations below 1 ns have the bin of 1 ns. */
static uint64_t bin_of(double ns)
{
    uint64_t bits;
    ns = ns > 1 ? ns : 1;
    memcpy(&bits, &ns, sizeof bits);
    return bits >> 46;
}

/* The bin that is being counted. */
struct bins {
    struct swi_text *text;
    uint64_t bin, count;
    const char *comma;
};

static void bin_end(struct bins *bins)
{
    if (bins->count)
        swi_text_format(bins->text, "%s[%" PRIu64 ",%" PRIu64 "]", bins->comma, bins->bin,
                        bins->count);
    bins->comma = bins->count ? "," : bins->comma;
    bins->count = 0;
}

/* Counts a value. Values must be in ascending order. */
static void bin_add(struct bins *bins, double ns, uint64_t count)
{
    uint64_t bin = bin_of(ns);
    if (bin != bins->bin)
        bin_end(bins);
    bins->bin = bin;
    bins->count += count;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* If there are few values, they are all known. */
static void values_add(struct bins *bins, const struct sw_distribution *durations)
{
    double value[SW_DISTRIBUTION_KEPT];
    memcpy(value, durations->value, durations->kept * sizeof *value);
    qsort(value, durations->kept, sizeof *value, ascending);
    for (size_t i = 0; i < durations->kept; i++)
        bin_add(bins, value[i], 1);
}

void swi_distribution_add(struct swi_text *text, const struct sw_distribution *durations)
{
    struct bins bins = {.text = text, .comma = ""};
    bool all = (size_t)durations->count == durations->kept &&
               durations->kept <= SW_DISTRIBUTION_KEPT && durations->value;
    swi_text_put(text, "[");
    if (all)
        values_add(&bins, durations);
    for (size_t i = 0; !all && i < durations->bin_count; i++) {
        const struct sw_bin *bin = sw_distribution_bin(durations, i);
        bin_add(&bins, bin->low + (bin->high - bin->low) / 2, bin->count);
    }
    bin_end(&bins);
    swi_text_put(text, "]");
}
