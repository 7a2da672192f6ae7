/* SPDX-License-Identifier: MIT */
/* The statistics of stepwatch compare, where the truth is known. */
#include "tests/support/suite.h"
#include "tools/compare/interval.h"

#include <math.h>

/* A fixed sequence; the sum of twelve uniform numbers is close enough to normal. */
static double noise(uint32_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
        sum += (*state >> 8) / 16777216.0;
    }
    return sum;
}

/* Values around `level` that remember so much of the one before. */
static struct means series(uint32_t *state, int count, double level, double memory)
{
    struct means means = {0};
    double away = 0;
    for (int i = 0; i < count; i++) {
        away = memory * away + sqrt(1 - memory * memory) * noise(state);
        means_add(&means, level + away, 1);
    }
    return means;
}

/* From the tables of the t distribution. */
static const struct {
    double p, degrees, t;
} quantiles[] = {
    {0.975, 1, 12.706205}, {0.975, 2, 4.302653},   {0.975, 5, 2.570582},  {0.975, 10, 2.228139},
    {0.975, 30, 2.042272}, {0.975, 120, 1.979930}, {0.995, 10, 3.169273}, {0.9995, 5, 6.868827},
    {0.95, 15, 1.753050},  {0.975, 1e7, 1.959964}, {0.5, 7, 0},
};

START_TEST(quantiles_of_student_are_those_of_the_tables)
{
    ck_assert_double_eq_tol(student_quantile(quantiles[_i].p, quantiles[_i].degrees),
                            quantiles[_i].t, 1e-5);
}
END_TEST

START_TEST(the_mean_is_of_all_values_and_the_variance_of_batches)
{
    struct means means = {0};
    double degrees;
    for (int i = 0; i < 10; i++)
        means_add(&means, i, 1);
    ck_assert_double_eq_tol(means_mean(&means), 4.5, 1e-12);
    /* Few values are batches of one: the variance of the mean as everybody knows it, 55/6/10. */
    ck_assert_double_eq_tol(means_variance(&means, &degrees), 55.0 / 60, 1e-12);
    ck_assert_double_eq(degrees, 9);
    for (int i = 10; i < 100000; i++)
        means_add(&means, i % 10, 1);
    ck_assert_double_eq_tol(means_mean(&means), 4.5, 1e-9);
    means_variance(&means, &degrees);
    ck_assert(degrees >= 15 && degrees <= 30);
}
END_TEST

START_TEST(one_value_has_no_variance)
{
    struct means means = {0};
    double degrees;
    ck_assert(isnan(means_mean(&means)));
    means_add(&means, 3, 1);
    ck_assert(isnan(means_variance(&means, &degrees)));
    ck_assert(isnan(interval_of(&means, &means, 0.95).low));
}
END_TEST

/* Interval by interval, as often as it says; steps that are alike in a row promise no more than
 * they know. With the variance over the number of values it would be two of three. */
static const double memories[] = {0, 0.7, 0.9};

START_TEST(the_interval_holds_the_truth_as_often_as_it_says)
{
    enum { TRIALS = 400 };
    uint32_t state = 1;
    int held = 0;
    for (int i = 0; i < TRIALS; i++) {
        struct means a = series(&state, 2000, 100, memories[_i]);
        struct means b = series(&state, 3000, 103, memories[_i]);
        struct interval by = interval_of(&a, &b, 0.95);
        held += by.low <= 0.03 && by.high >= 0.03;
    }
    ck_assert_msg(held >= TRIALS * 92 / 100 && held <= TRIALS * 98 / 100, "held %d of %d", held,
                  TRIALS);
}
END_TEST

START_TEST(the_difference_is_a_share_of_the_first_mean)
{
    struct means a = {0}, b = {0};
    for (int i = 0; i < 100; i++) {
        means_add(&a, 100, 1);
        means_add(&b, 110, 1);
    }
    struct interval by = interval_of(&a, &b, 0.95);
    ck_assert_double_eq_tol(by.difference, 0.1, 1e-12);
    ck_assert_double_eq_tol(by.low, 0.1, 1e-12);
    ck_assert_double_eq_tol(by.high, 0.1, 1e-12);
}
END_TEST

SUITE(interval)
{
    tcase_add_loop_test(tc, quantiles_of_student_are_those_of_the_tables, 0,
                        (int)(sizeof quantiles / sizeof *quantiles));
    tcase_add_test(tc, the_mean_is_of_all_values_and_the_variance_of_batches);
    tcase_add_test(tc, one_value_has_no_variance);
    tcase_add_loop_test(tc, the_interval_holds_the_truth_as_often_as_it_says, 0,
                        (int)(sizeof memories / sizeof *memories));
    tcase_add_test(tc, the_difference_is_a_share_of_the_first_mean);
}
