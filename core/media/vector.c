/* SPDX-License-Identifier: MIT */
/* vector.c - loops over parts of an array that stay in the first cache, in lanes that the compiler
 * makes vectors of, also where the program is built with -O2. Loops of their own for minimum and
 * maximum, for sums and for bins are faster than one loop for all. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "core/media/vector.h"
#include "core/media/half.h"
#include "core/media/pixels.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PART = 256, LANES = 8, FLOAT_LANES = 16 };

/* Elements that were read: as doubles, the finite ones first. */
struct elements {
    size_t count;
    double value[PART];
};

/* ---- reading -----------------------------------------------------------------------------------
 */

#define READ(type, convert)                                                                        \
    do {                                                                                           \
        type raw[PART];                                                                            \
        memcpy(raw, from, count * sizeof *raw);                                                    \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (double)convert(raw[i]);                                                       \
    } while (0)

static void elements_read(double *to, const char *from, size_t count, enum sw_type type)
{
    switch (type) {
    case SW_U8:
        READ(uint8_t, );
        break;
    case SW_I32:
        READ(int32_t, );
        break;
    case SW_I64:
        READ(int64_t, );
        break;
    case SW_F32:
        READ(float, );
        break;
    case SW_F16:
        READ(uint16_t, swi_half);
        break;
    case SW_BF16:
        READ(uint16_t, swi_bfloat);
        break;
    default:
        memcpy(to, from, count * sizeof *to);
    }
}

/* A value less itself is 0, and NAN if it is not finite. */
static bool has_nonfinite(const double *value, size_t count)
{
    double sum[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            sum[k] += value[i + k] - value[i + k];
    for (; i < count; i++)
        sum[0] += value[i] - value[i];
    for (size_t k = 1; k < LANES; k++)
        sum[0] += sum[k];
    return sum[0] != 0;
}

static size_t finite_pick(double *value, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(value[i]) <= DBL_MAX)
            value[kept++] = value[i];
    return kept;
}

/* Reads the part that begins with element `at`. */
static void part_read(struct elements *part, const struct swi_vector *vector, size_t at)
{
    size_t left = vector->count - at;
    const char *from = (const char *)vector->data + at * swi_type_size(vector->type);
    part->count = left < PART ? left : PART;
    elements_read(part->value, from, part->count, vector->type);
    bool integers = vector->type <= SW_I64;
    if (!integers && has_nonfinite(part->value, part->count))
        part->count = finite_pick(part->value, part->count);
}

/* ---- minimum and maximum -----------------------------------------------------------------------
 */

struct value_range {
    size_t finite;
    double min, max;
};

static void range_add(struct value_range *range, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        range->min = value[i] < range->min ? value[i] : range->min;
        range->max = value[i] > range->max ? value[i] : range->max;
    }
    range->finite += count;
}

static void part_range(struct value_range *range, const struct elements *part)
{
    double min[LANES], max[LANES];
    const double *value = part->value;
    size_t i = LANES;
    if (part->count < 2 * LANES) {
        range_add(range, value, part->count);
        return;
    }
    memcpy(min, value, sizeof min);
    memcpy(max, value, sizeof max);
    for (; i + LANES <= part->count; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            min[k] = value[i + k] < min[k] ? value[i + k] : min[k];
            max[k] = value[i + k] > max[k] ? value[i + k] : max[k];
        }
    range_add(range, value + i, part->count - i);
    range_add(range, min, LANES);
    range_add(range, max, LANES);
    range->finite -= (size_t)2 * LANES;
    range->finite += i;
}

/* Floats as they are, four at a time; false if one is not finite. */
static bool floats_range(struct value_range *range, const char *from)
{
    float value[PART], min[FLOAT_LANES], max[FLOAT_LANES], sum[FLOAT_LANES] = {0}, all = 0;
    memcpy(value, from, sizeof value);
    memcpy(min, value, sizeof min);
    memcpy(max, value, sizeof max);
    for (size_t i = 0; i < PART; i += FLOAT_LANES)
        for (size_t k = 0; k < FLOAT_LANES; k++) {
            float x = value[i + k];
            sum[k] += x - x;
            min[k] = x < min[k] ? x : min[k];
            max[k] = x > max[k] ? x : max[k];
        }
    for (size_t k = 0; k < FLOAT_LANES; k++)
        all += sum[k];
    if (all != 0)
        return false;
    for (size_t k = 0; k < FLOAT_LANES; k++) {
        range->min = (double)min[k] < range->min ? (double)min[k] : range->min;
        range->max = (double)max[k] > range->max ? (double)max[k] : range->max;
    }
    range->finite += PART;
    return true;
}

static struct value_range vector_range(const struct swi_vector *vector)
{
    struct value_range range = {.min = DBL_MAX, .max = -DBL_MAX};
    struct elements part;
    for (size_t at = 0; at < vector->count; at += PART) {
        bool floats = vector->type == SW_F32 && vector->count - at >= PART;
        if (floats && floats_range(&range, (const char *)vector->data + at * sizeof(float)))
            continue;
        part_read(&part, vector, at);
        part_range(&range, &part);
    }
    return range;
}

/* ---- sums --------------------------------------------------------------------------------------
 */

/* Sums of values times a factor, in lanes; the sums of squares are of the distance from a middle.
 */
struct sums {
    double factor, middle;
    double sum[LANES], squares[LANES], zeros[LANES];
    size_t finite;
};

static void rest_sum(struct sums *sums, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double x = value[i] * sums->factor, away = x - sums->middle;
        sums->sum[0] += x;
        sums->squares[0] += away * away;
        sums->zeros[0] += value[i] == 0 ? 1 : 0;
    }
}

static void part_zeros(struct sums *sums, const double *value, size_t count)
{
    double zeros[LANES];
    memcpy(zeros, sums->zeros, sizeof zeros);
    for (size_t i = 0; i < count; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            zeros[k] += value[i + k] == 0 ? 1 : 0;
    memcpy(sums->zeros, zeros, sizeof zeros);
}

/* In lanes of its own: what is behind a pointer would be written after each value. */
static void part_sum(struct sums *sums, const struct elements *part)
{
    const double *value = part->value;
    double sum[LANES], squares[LANES], factor = sums->factor, middle = sums->middle;
    size_t whole = part->count / LANES * LANES;
    memcpy(sum, sums->sum, sizeof sum);
    memcpy(squares, sums->squares, sizeof squares);
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            double x = value[i + k] * factor, away = x - middle;
            sum[k] += x;
            squares[k] += away * away;
        }
    memcpy(sums->sum, sum, sizeof sum);
    memcpy(sums->squares, squares, sizeof squares);
    part_zeros(sums, value, whole);
    rest_sum(sums, value + whole, part->count - whole);
    sums->finite += part->count;
}

static double lanes_total(const double lane[LANES])
{
    double total = 0;
    for (size_t k = 0; k < LANES; k++)
        total += lane[k];
    return total;
}

static void vector_sum(struct sums *sums, const struct swi_vector *vector, double factor,
                       double middle)
{
    struct elements part;
    *sums = (struct sums){.factor = factor, .middle = middle};
    for (size_t at = 0; at < vector->count; at += PART) {
        part_read(&part, vector, at);
        part_sum(sums, &part);
    }
}

/* Squares of very large or small values would be infinite or 0: a power of two that brings the
 * largest near 1. */
static double factor_of(const struct swi_vector *vector)
{
    struct value_range range = vector_range(vector);
    int exponent = 0;
    frexp(fmax(fabs(range.min), fabs(range.max)), &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

static bool is_safe(const struct sums *sums)
{
    double squares = lanes_total(sums->squares);
    return squares < 1e300 && (squares > 1e-250 || squares == 0);
}

static void sums_take(struct swi_figures *figures, const struct swi_vector *vector, unsigned what)
{
    struct sums sums, around;
    double factor = 1;
    vector_sum(&sums, vector, 1, 0);
    bool all_zero = lanes_total(sums.zeros) >= (double)sums.finite;
    if (!is_safe(&sums) || (lanes_total(sums.squares) == 0 && !all_zero)) {
        factor = factor_of(vector);
        vector_sum(&sums, vector, factor, 0);
    }
    figures->finite = sums.finite;
    if (!sums.finite)
        return;
    double count = (double)sums.finite, mean = lanes_total(sums.sum) / count;
    figures->zeros = (size_t)lanes_total(sums.zeros);
    figures->norm = sqrt(lanes_total(sums.squares)) / factor;
    figures->mean = mean / factor;
    if (!(what & SW_STD))
        return;
    vector_sum(&around, vector, factor, mean);
    figures->std = sqrt(lanes_total(around.squares) / count) / factor;
}

void swi_vector_figures(struct swi_figures *figures, const struct swi_vector *vector, unsigned what)
{
    bool sums = what & (SW_NORM | SW_MEAN | SW_STD | SW_ZEROS);
    bool ranges = (what & (SW_HISTOGRAM | SW_MIN | SW_MAX)) || !sums;
    *figures = (struct swi_figures){.min = NAN, .max = NAN, .norm = NAN, .mean = NAN, .std = NAN};
    if (sums)
        sums_take(figures, vector, what);
    if (ranges) {
        struct value_range range = vector_range(vector);
        figures->finite = range.finite;
        figures->min = range.finite ? range.min : NAN;
        figures->max = range.finite ? range.max : NAN;
    }
    figures->nonfinite = vector->count - figures->finite;
}

/* ---- bins --------------------------------------------------------------------------------------
 */

/* The range that values are in, after they were multiplied by `factor`. */
struct binning {
    double factor; /* 1, or 0.5 where the width of the range would be infinite */
    double low, width;
    double scale; /* SWI_BINS / width; infinite for widths that are nearly 0 */
};

static int index_of(double value, const struct binning *by)
{
    int index = (int)((value * by->factor - by->low) / by->width * SWI_BINS);
    return index < SWI_BINS ? index : SWI_BINS - 1;
}

/* The usual way; what is measured is the time of this loop. */
static void indices_of(int32_t *index, const double *value, size_t count, const struct binning *by)
{
    double low = by->low, scale = by->scale;
    for (size_t i = 0; i < count; i++) {
        int32_t at = (int32_t)((value[i] - low) * scale);
        index[i] = at < SWI_BINS ? at : SWI_BINS - 1;
    }
}

/* Four tables in turn: if values are equal, an addition does not wait for the one before it. */
static void part_count(uint64_t table[4][SWI_BINS], const struct elements *part,
                       const struct binning *by)
{
    int32_t index[PART];
    size_t i = 0;
    if (by->factor == 1 && isfinite(by->scale))
        indices_of(index, part->value, part->count, by);
    else
        for (size_t k = 0; k < part->count; k++)
            index[k] = index_of(part->value[k], by);
    for (; i + 4 <= part->count; i += 4)
        for (size_t k = 0; k < 4; k++)
            table[k][index[i + k]]++;
    for (; i < part->count; i++)
        table[0][index[i]]++;
}

static double edge(const struct binning *by, int i, double high)
{
    return i == SWI_BINS ? high : (by->low + by->width * (i / (double)SWI_BINS)) / by->factor;
}

size_t swi_vector_bins(struct sw_bin bin[SWI_BINS], const struct swi_vector *vector,
                       const struct swi_figures *figures)
{
    uint64_t table[4][SWI_BINS] = {{0}};
    double min = figures->min, max = figures->max;
    struct elements part;
    if (!figures->finite)
        return 0;
    if (!(min < max)) {
        bin[0] = (struct sw_bin){min, max, figures->finite};
        return 1;
    }
    double factor = isfinite(max - min) ? 1 : 0.5;
    struct binning by = {factor, min * factor, max * factor - min * factor, 0};
    by.scale = SWI_BINS / by.width;
    for (size_t at = 0; at < vector->count; at += PART) {
        part_read(&part, vector, at);
        part_count(table, &part, &by);
    }
    for (int i = 0; i < SWI_BINS; i++)
        bin[i] = (struct sw_bin){edge(&by, i, max), edge(&by, i + 1, max),
                                 table[0][i] + table[1][i] + table[2][i] + table[3][i]};
    return SWI_BINS;
}
