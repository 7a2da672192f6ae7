/* SPDX-License-Identifier: MIT */
/* vector_bins.c - finds the bin of each element by a multiplication, and counts in several tables.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "core/media/lanes.h"
#include "core/media/vector_figures.h"

#include <math.h>
#include <string.h>

enum { PART = SWI_PART, LANES = SWI_DOUBLES };

/* The range of the values after they were multiplied by `factor`. */
struct binning {
    double factor; /* 1, or 0.5 if the width of the range would be infinite */
    double low, width;
    double scale; /* SWI_BINS / width; infinite for widths that are nearly 0 */
};

static int index_of(double value, const struct binning *by)
{
    int index = (int)((value * by->factor - by->low) / by->width * SWI_BINS);
    return index < SWI_BINS ? index : SWI_BINS - 1;
}

/* The usual case, which takes most of the time. */
static void indices_of(int32_t *index, const double *value, size_t count, const struct binning *by)
{
    double low = by->low, scale = by->scale;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        swi_doubles x;
        SWI_LANES_LOAD(x, value + i);
        swi_two_ints at = __builtin_convertvector((x - low) * scale, swi_two_ints);
        SWI_LANES_STORE(index + i, at);
    }
    for (; i < count; i++)
        index[i] = (int32_t)((value[i] - low) * scale);
}

/* Floats do not have to be stored as doubles. */
static void indices_of_floats(int32_t *index, const char *from, const struct binning *by)
{
    double low = by->low, scale = by->scale;
    for (size_t i = 0; i < PART; i += LANES) {
        swi_two_floats x;
        SWI_LANES_LOAD(x, from + i * sizeof(float));
        swi_doubles wide = __builtin_convertvector(x, swi_doubles);
        swi_two_ints at = __builtin_convertvector((wide - low) * scale, swi_two_ints);
        SWI_LANES_STORE(index + i, at);
    }
}

/* Rounding may put the largest values after the last bin. If the program changes the array
 * meanwhile, an index may be anything, so bits are cut off to keep it inside the table. */
enum { TABLE = 2 * SWI_BINS };

/* Uses four tables in turn, so that with equal values, an addition does not wait for the one
 * before. */
static void indices_count(uint64_t table[4][TABLE], const int32_t *index, size_t count)
{
    size_t whole = count / 4 * 4;
    for (size_t i = 0; i < whole; i += 4)
        for (size_t k = 0; k < 4; k++)
            table[k][index[i + k] & (TABLE - 1)]++;
    for (size_t i = whole; i < count; i++)
        table[0][index[i] & (TABLE - 1)]++;
}

/* Adds what is after the last bin to it. */
static uint64_t bin_count(uint64_t table[4][TABLE], int bin)
{
    uint64_t count = 0;
    for (int i = bin; i < (bin == SWI_BINS - 1 ? TABLE : bin + 1); i++)
        for (int k = 0; k < 4; k++)
            count += table[k][i];
    return count;
}

static bool is_usual(const struct binning *by)
{
    return by->factor == 1 && isfinite(by->scale);
}

static void part_count(uint64_t table[4][TABLE], const struct swi_elements *part,
                       const struct binning *by)
{
    int32_t index[PART];
    if (is_usual(by))
        indices_of(index, part->value, part->count, by);
    else
        for (size_t k = 0; k < part->count; k++)
            index[k] = index_of(part->value[k], by);
    indices_count(table, index, part->count);
}

/* Returns how many elements from `at` on are floats that need no further check. */
static size_t plain_floats(const struct swi_vector *vector, const struct swi_figures *figures,
                           const struct binning *by, size_t at)
{
    bool plain = vector->type == SW_F32 && !figures->nonfinite && is_usual(by);
    return plain && vector->count - at >= PART ? PART : 0;
}

static void vector_count(uint64_t table[4][TABLE], const struct swi_vector *vector,
                         const struct swi_figures *figures, const struct binning *by)
{
    struct swi_elements part;
    int32_t index[PART];
    for (size_t at = 0; at < vector->count; at += PART) {
        if (plain_floats(vector, figures, by, at)) {
            indices_of_floats(index, (const char *)vector->data + at * sizeof(float), by);
            indices_count(table, index, PART);
            continue;
        }
        swi_vector_read(&part, vector, at);
        part_count(table, &part, by);
    }
}

static double edge(const struct binning *by, int i, double high)
{
    return i == SWI_BINS ? high : (by->low + by->width * (i / (double)SWI_BINS)) / by->factor;
}

size_t swi_vector_bins(struct sw_bin bin[SWI_BINS], const struct swi_vector *vector,
                       const struct swi_figures *figures)
{
    uint64_t table[4][TABLE] = {{0}};
    double min = figures->min, max = figures->max;
    if (!figures->finite)
        return 0;
    if (!(min < max)) {
        bin[0] = (struct sw_bin){min, max, figures->finite};
        return 1;
    }
    double factor = isfinite(max - min) ? 1 : 0.5;
    struct binning by = {factor, min * factor, max * factor - min * factor, 0};
    by.scale = SWI_BINS / by.width;
    vector_count(table, vector, figures, &by);
    for (int i = 0; i < SWI_BINS; i++)
        bin[i] = (struct sw_bin){edge(&by, i, max), edge(&by, i + 1, max), bin_count(table, i)};
    return SWI_BINS;
}
