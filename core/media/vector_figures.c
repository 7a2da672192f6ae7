/* SPDX-License-Identifier: MIT */
/* vector_figures.c - loops over parts of an array that fit into the first-level cache, with
 * vectors. Separate loops for minimum and maximum and for sums are faster than a single loop. */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "core/media/vector_figures.h"

#include "core/media/lanes.h"
#include "core/media/pictures.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PART = SWI_PART, LANES = SWI_DOUBLES, FLOATS = SWI_FLOATS };

#define READ(as, convert)                                                                          \
    do {                                                                                           \
        as raw[PART];                                                                              \
        memcpy(raw, from, count * sizeof *raw);                                                    \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (double)convert(raw[i]);                                                       \
    } while (0)

static void elements_read(double *to, const char *from, size_t count, enum sw_type type)
{
    if (type == SW_U8)
        READ(uint8_t, );
    else if (type == SW_I32)
        READ(int32_t, );
    else if (type == SW_I64)
        READ(int64_t, );
    else if (type == SW_F32)
        READ(float, );
    else if (type == SW_F16)
        READ(uint16_t, swi_half);
    else if (type == SW_BF16)
        READ(uint16_t, swi_bfloat);
    else
        memcpy(to, from, count * sizeof *to);
}

/* A value times 0 is 0, and NAN if it is not finite. */
static bool has_nonfinite(const double *value, size_t count)
{
    swi_doubles_mask found = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        swi_doubles x;
        SWI_LANES_LOAD(x, value + i);
        found |= x * 0 != 0;
    }
    bool any = found[0] || found[1];
    for (; i < count; i++)
        any |= !(fabs(value[i]) <= DBL_MAX);
    return any;
}

static size_t finite_pick(double *value, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(value[i]) <= DBL_MAX)
            value[kept++] = value[i];
    return kept;
}

void swi_vector_read(struct swi_elements *part, const struct swi_vector *vector, size_t at)
{
    size_t left = vector->count - at;
    const char *from = (const char *)vector->data + at * swi_type_size(vector->type);
    part->count = left < PART ? left : PART;
    elements_read(part->value, from, part->count, vector->type);
    bool integers = vector->type <= SW_I64;
    if (!integers && has_nonfinite(part->value, part->count))
        part->count = finite_pick(part->value, part->count);
}

/* ---- minimum and maximum --------------------------------------------------------------------- */

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

static void part_range(struct value_range *range, const struct swi_elements *part)
{
    swi_doubles min, max, x;
    double least[LANES], most[LANES];
    size_t i = LANES;
    if (part->count < 2 * LANES) {
        range_add(range, part->value, part->count);
        return;
    }
    SWI_LANES_LOAD(min, part->value);
    max = min;
    for (; i + LANES <= part->count; i += LANES) {
        SWI_LANES_LOAD(x, part->value + i);
        min = SWI_LANES_PICK(swi_doubles_mask, x < min, x, min);
        max = SWI_LANES_PICK(swi_doubles_mask, x > max, x, max);
    }
    SWI_LANES_STORE(least, min);
    SWI_LANES_STORE(most, max);
    range_add(range, part->value + i, part->count - i);
    range_add(range, least, LANES);
    range_add(range, most, LANES);
    range->finite -= (size_t)2 * LANES;
    range->finite += i;
}

/* What was found out about some floats, in lanes. */
struct extremes {
    swi_floats min, max;
    swi_floats_mask nonfinite;
};

#define EXTREMES_ADD(extremes, from)                                                               \
    do {                                                                                           \
        swi_floats x;                                                                              \
        SWI_LANES_LOAD(x, (from));                                                                 \
        (extremes).nonfinite |= x * 0 != 0;                                                        \
        (extremes).min = SWI_LANES_PICK(swi_floats_mask, x < (extremes).min, x, (extremes).min);   \
        (extremes).max = SWI_LANES_PICK(swi_floats_mask, x > (extremes).max, x, (extremes).max);   \
    } while (0)

static bool extremes_take(struct value_range *range, const struct extremes *extremes)
{
    bool nonfinite = false;
    for (size_t k = 0; k < FLOATS; k++) {
        double min = (double)extremes->min[k], max = (double)extremes->max[k];
        nonfinite |= extremes->nonfinite[k] != 0;
        range->min = min < range->min ? min : range->min;
        range->max = max > range->max ? max : range->max;
    }
    return !nonfinite;
}

/* Reads a part of an array of floats. Returns false if one is not finite. Uses two chains, so that
 * a comparison does not wait for the one before. */
static bool floats_range(struct value_range *range, const char *from)
{
    struct value_range found = *range;
    struct extremes a = {.nonfinite = {0}};
    SWI_LANES_LOAD(a.min, from);
    a.max = a.min;
    struct extremes b = a;
    for (size_t i = 0; i < PART * sizeof(float); i += 2 * sizeof a.min) {
        EXTREMES_ADD(a, from + i);
        EXTREMES_ADD(b, from + i + sizeof a.min);
    }
    if (!extremes_take(&found, &a) || !extremes_take(&found, &b))
        return false;
    found.finite += PART;
    *range = found;
    return true;
}

static struct value_range vector_range(const struct swi_vector *vector)
{
    struct value_range range = {.min = DBL_MAX, .max = -DBL_MAX};
    struct swi_elements part;
    for (size_t at = 0; at < vector->count; at += PART) {
        bool floats = vector->type == SW_F32 && vector->count - at >= PART;
        if (floats && floats_range(&range, (const char *)vector->data + at * sizeof(float)))
            continue;
        swi_vector_read(&part, vector, at);
        part_range(&range, &part);
    }
    return range;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Sums of values times a factor. The sums of squares are of the distances from a middle. Lanes lose
 * less by rounding than a single sum. */
enum { SUMS = 4 * LANES };
struct sums {
    double factor, middle;
    double sum[SUMS], squares[SUMS];
    size_t finite;
};

static void rest_sum(struct sums *sums, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double x = value[i] * sums->factor, away = x - sums->middle;
        sums->sum[0] += x;
        sums->squares[0] += away * away;
    }
}

/* A chain of lanes. Several chains do not wait for each other's additions. */
struct chain {
    swi_doubles sum, squares;
};

#define CHAIN_ADD(chain, from, sums)                                                               \
    do {                                                                                           \
        swi_doubles x;                                                                             \
        SWI_LANES_LOAD(x, (from));                                                                 \
        x *= (sums)->factor;                                                                       \
        (chain).sum += x;                                                                          \
        x -= (sums)->middle;                                                                       \
        (chain).squares += x * x;                                                                  \
    } while (0)

static void chain_take(struct sums *sums, size_t at, const struct chain *chain)
{
    for (size_t k = 0; k < LANES; k++) {
        sums->sum[at + k] += chain->sum[k];
        sums->squares[at + k] += chain->squares[k];
    }
}

static void part_sum(struct sums *sums, const struct swi_elements *part)
{
    struct chain a = {0}, b = {0}, c = {0}, d = {0};
    const struct sums by = {.factor = sums->factor, .middle = sums->middle};
    size_t whole = part->count / SUMS * SUMS;
    for (size_t i = 0; i < whole; i += SUMS) {
        CHAIN_ADD(a, part->value + i, &by);
        CHAIN_ADD(b, part->value + i + LANES, &by);
        CHAIN_ADD(c, part->value + i + 2 * LANES, &by);
        CHAIN_ADD(d, part->value + i + 3 * LANES, &by);
    }
    chain_take(sums, 0, &a);
    chain_take(sums, LANES, &b);
    chain_take(sums, 2 * LANES, &c);
    chain_take(sums, 3 * LANES, &d);
    rest_sum(sums, part->value + whole, part->count - whole);
    sums->finite += part->count;
}

static double lanes_total(const double lane[SUMS])
{
    double total = 0;
    for (size_t k = 0; k < SUMS; k++)
        total += lane[k];
    return total;
}

static void vector_sum(struct sums *sums, const struct swi_vector *vector, double factor,
                       double middle)
{
    struct swi_elements part;
    *sums = (struct sums){.factor = factor, .middle = middle};
    for (size_t at = 0; at < vector->count; at += PART) {
        swi_vector_read(&part, vector, at);
        part_sum(sums, &part);
    }
}

static size_t part_zeros(const struct swi_elements *part)
{
    swi_doubles_mask zeros = {0};
    swi_doubles x;
    size_t i = 0;
    for (; i + LANES <= part->count; i += LANES) {
        SWI_LANES_LOAD(x, part->value + i);
        zeros -= x == 0;
    }
    size_t count = (size_t)(zeros[0] + zeros[1]);
    for (; i < part->count; i++)
        count += part->value[i] == 0 ? 1 : 0;
    return count;
}

static size_t vector_zeros(const struct swi_vector *vector)
{
    struct swi_elements part;
    size_t zeros = 0;
    for (size_t at = 0; at < vector->count; at += PART) {
        swi_vector_read(&part, vector, at);
        zeros += part_zeros(&part);
    }
    return zeros;
}

/* Returns a power of two that brings the largest value near 1, so that squares do not become
 * infinite or 0. */
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

/* A square may be 0 although the value is not. */
static bool is_all_zero(const struct swi_vector *vector, const struct sums *sums)
{
    return lanes_total(sums->squares) == 0 && vector_zeros(vector) == sums->finite;
}

static void sums_take(struct swi_figures *figures, const struct swi_vector *vector, unsigned what)
{
    struct sums sums, around;
    double factor = 1;
    vector_sum(&sums, vector, 1, 0);
    if (!is_safe(&sums) || (lanes_total(sums.squares) == 0 && !is_all_zero(vector, &sums))) {
        factor = factor_of(vector);
        vector_sum(&sums, vector, factor, 0);
    }
    figures->finite = sums.finite;
    if (!sums.finite)
        return;
    double count = (double)sums.finite, mean = lanes_total(sums.sum) / count;
    figures->zeros = what & SW_ZEROS ? vector_zeros(vector) : 0;
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
