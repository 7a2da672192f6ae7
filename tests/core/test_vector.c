/* SPDX-License-Identifier: MIT */
/* test_vector.c - figures and bins of arrays are those of a plain loop: any length, type and
 * address, with and without values that are not finite. */
#include "core/media/pictures.h"
#include "core/media/vector_figures.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_MAX = 1200, TRIALS = 3000 };

static uint32_t state;

static uint32_t chance(void)
{
    state = state * UINT32_C(1664525) + UINT32_C(1013904223);
    return state >> 8;
}

static double between(double low, double high)
{
    return low + (high - low) * chance() / (1 << 24);
}

/* ---- an array -------------------------------------------------------------------------------- */

static void element_put(char *to, enum sw_type type, double value)
{
    const uint8_t u8 = (uint8_t)chance();
    const int32_t i32 = (int32_t)chance() - (int32_t)chance();
    const int64_t i64 = (int64_t)chance() << 20;
    const float f32 = (float)value;
    const void *from = type == SW_U8    ? (const void *)&u8
                       : type == SW_I32 ? (const void *)&i32
                       : type == SW_I64 ? (const void *)&i64
                       : type == SW_F32 ? (const void *)&f32
                                        : (const void *)&value;
    memcpy(to, from, swi_type_size(type));
}

static double element_get(const char *from, enum sw_type type)
{
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    size_t size = swi_type_size(type);
    memcpy(&i32, from, size < sizeof i32 ? size : sizeof i32);
    memcpy(&f32, &i32, sizeof f32);
    memcpy(&i64, from, size);
    memcpy(&f64, &i64, sizeof f64);
    return type == SW_U8    ? (uint8_t)*from
           : type == SW_I32 ? i32
           : type == SW_I64 ? (double)i64
           : type == SW_F32 ? (double)f32
                            : f64;
}

/* Wide, equal, tiny and huge values, many zeros; in every second array some that are not finite. */
static void array_fill(char *to, enum sw_type type, size_t count, int trial)
{
    static const double range[] = {1, 200, 1e300, 1e-300, 1e-40};
    for (size_t i = 0; i < count; i++) {
        double value = trial % 6 == 5 ? 3 : between(-range[trial % 5], range[trial % 5]);
        if (trial % 7 == 0 && chance() % 3 == 0)
            value = 0;
        if (trial % 2 && chance() % 20 == 0)
            value = chance() % 2 ? (double)NAN : -(double)INFINITY;
        element_put(to + i * swi_type_size(type), type, value);
    }
}

/* ---- a plain loop ---------------------------------------------------------------------------- */

struct plain {
    size_t finite, zeros, bin[SWI_BINS];
    double min, max;
    long double sum, squares;
};

static void plain_make(struct plain *plain, const struct swi_vector *vector)
{
    const char *data = vector->data;
    size_t size = swi_type_size(vector->type);
    *plain = (struct plain){.min = INFINITY, .max = -INFINITY};
    for (size_t i = 0; i < vector->count; i++) {
        double value = element_get(data + i * size, vector->type);
        if (!isfinite(value))
            continue;
        plain->finite++;
        plain->zeros += value == 0;
        plain->min = fmin(plain->min, value);
        plain->max = fmax(plain->max, value);
        plain->sum += value;
        plain->squares += (long double)value * value;
    }
    double scale = SWI_BINS / (plain->max - plain->min);
    for (size_t i = 0; i < vector->count && isfinite(scale) && scale > 0; i++) {
        double value = element_get(data + i * size, vector->type);
        int bin = isfinite(value) ? (int)((value - plain->min) * scale) : -1;
        if (bin >= 0)
            plain->bin[bin < SWI_BINS ? bin : SWI_BINS - 1]++;
    }
}

static void assert_figures(const struct plain *plain, const struct swi_vector *vector)
{
    struct swi_figures figures;
    long double norm = sqrtl(plain->squares);
    swi_vector_figures(&figures, vector, SW_NORM | SW_MEAN | SW_ZEROS);
    ck_assert_uint_eq(figures.finite, plain->finite);
    ck_assert_uint_eq(figures.nonfinite, vector->count - plain->finite);
    if (!plain->finite)
        return;
    ck_assert_uint_eq(figures.zeros, plain->zeros);
    ck_assert(fabsl(figures.norm - norm) <= 1e-12L * norm);
    ck_assert(fabsl(figures.mean - plain->sum / plain->finite) <=
              1e-12L * norm / sqrtl(plain->finite));
}

static void assert_bins(const struct plain *plain, const struct swi_vector *vector)
{
    struct swi_figures figures;
    struct sw_bin bin[SWI_BINS];
    size_t sum = 0;
    swi_vector_figures(&figures, vector, SW_HISTOGRAM);
    size_t count = swi_vector_bins(bin, vector, &figures);
    for (size_t i = 0; i < count; i++)
        sum += bin[i].count;
    ck_assert_uint_eq(sum, plain->finite);
    if (!plain->finite)
        return;
    ck_assert(figures.min == plain->min && figures.max == plain->max);
    bool usual = count == SWI_BINS && isfinite(SWI_BINS / (plain->max - plain->min));
    for (size_t i = 0; i < count && usual && isfinite(plain->max - plain->min); i++)
        ck_assert_uint_eq(bin[i].count, plain->bin[i]);
}

START_TEST(figures_and_bins_are_those_of_a_plain_loop)
{
    static char room[LENGTH_MAX * sizeof(double) + sizeof(double)];
    static struct plain plain;
    state = 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t count = trial < 600 ? (size_t)trial : chance() % LENGTH_MAX;
        struct swi_vector vector = {(enum sw_type)(SW_U8 + chance() % 5), room + chance() % 8,
                                    count};
        array_fill(room + ((const char *)vector.data - room), vector.type, count, trial);
        plain_make(&plain, &vector);
        assert_figures(&plain, &vector);
        assert_bins(&plain, &vector);
    }
}
END_TEST

SUITE(vector)
{
    tcase_add_test(tc, figures_and_bins_are_those_of_a_plain_loop);
}
