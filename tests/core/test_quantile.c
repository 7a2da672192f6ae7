/* SPDX-License-Identifier: MIT */
/* A percentile is the value at position p * (count - 1) of the sorted values; for many values it is
 * known to the width of a bin. */
#include "tests/support/probe.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 1000 };

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double exact(const int64_t *sorted, int count, double p)
{
    double position = p * (count - 1);
    int low = (int)position, high = low + 1 < count ? low + 1 : low;
    return (double)sorted[low] + (position - low) * (double)(sorted[high] - sorted[low]);
}

/* Measures a region for each value, and sorts them. Returns the report. */
static struct sw_report *measured(struct sw_profiler *sw, int64_t *value, int count)
{
    struct sw_report *report = NULL;
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < count; i++) {
        sw_begin(sw, sw_action("drawn"));
        probe_wait(value[i]);
        sw_end(sw, sw_action("drawn"));
    }
    sw_end(sw, SW_FIT);
    qsort(value, (size_t)count, sizeof *value, by_size);
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
    return report;
}

/* All magnitudes from 1 ns to 16 s, in no order. */
static void draw(int64_t *value, int count)
{
    uint64_t state = 1;
    for (int i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value[i] = 1 + (int64_t)(state >> (30 + i % 34));
    }
}

static const struct {
    int count;
    double error; /* relative */
} sizes[] = {{1, 1e-12}, {2, 1e-12}, {32, 1e-12}, {33, 0.01}, {VALUES, 0.01}};

START_TEST(a_quantile_lies_between_the_two_values_next_to_it)
{
    int64_t value[VALUES];
    int count = sizes[_i].count;
    draw(value, count);
    struct sw_profiler *sw = probe_open("mode: simple");
    struct sw_report *report = measured(sw, value, count);
    const struct sw_distribution *d = &probe_row(report, "fit", "drawn")->durations;
    for (int p = 0; p <= 1000; p++) {
        double expected = exact(value, count, p / 1000.0);
        ck_assert_double_eq_tol(sw_quantile(d, p / 1000.0), expected, sizes[_i].error * expected);
    }
    ck_assert_double_eq(sw_quantile(d, 0), (double)value[0]);
    ck_assert_double_eq(sw_quantile(d, 1), (double)value[count - 1]);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* Half of the steps are short and half are long: the median is neither. */
START_TEST(a_median_between_two_bins_is_half_way)
{
    int64_t value[40];
    for (int i = 0; i < 40; i++)
        value[i] = i % 2 ? 1000 : 3000;
    struct sw_profiler *sw = probe_open("mode: simple");
    struct sw_report *report = measured(sw, value, 40);
    ck_assert_double_eq_tol(probe_row(report, "fit", "drawn")->p50_ns, 2000, 20);
    ck_assert_double_eq_tol(probe_row(report, "fit", "drawn")->p95_ns, 3000, 30);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(an_empty_set_has_none)
{
    struct sw_distribution d = {0};
    ck_assert(isnan(sw_quantile(&d, 0.5)));
}
END_TEST

SUITE(quantile)
{
    tcase_add_loop_test(tc, a_quantile_lies_between_the_two_values_next_to_it, 0,
                        sizeof sizes / sizeof *sizes);
    tcase_add_test(tc, a_median_between_two_bins_is_half_way);
    tcase_add_test(tc, an_empty_set_has_none);
}
