/* SPDX-License-Identifier: MIT */
/* Measures the accuracy of the numbers: quantiles against sorting, sums against 128 bits, the clock
 * against CLOCK_MONOTONIC. */
#include "bench/bench.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VALUES = 200000 };

static int64_t fake_now;
static uint64_t seed = 88172645463325252u;

static int64_t fake_clock(void *arg)
{
    (void)arg;
    return fake_now;
}

/* Returns a number in (0, 1) from xorshift64 (Marsaglia 2003, doi:10.18637/jss.v008.i14). */
static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double draw_uniform(void)
{
    return 1e4 + 1e6 * uniform();
}

static double draw_exponential(void)
{
    return -1e5 * log(uniform());
}

static double draw_log_normal(void)
{
    return exp(11 + normal());
}

static double draw_pareto(void)
{
    return 1e3 / pow(uniform(), 0.8);
}

static double draw_bimodal(void)
{
    return fabs((uniform() < 0.9 ? 2e4 : 3e6) * (1 + 0.05 * normal())) + 1;
}

static const struct sw_report_row *row_of(const struct sw_report *report, int action)
{
    for (size_t i = 0; i < report->count; i++)
        if (sw_report_row(report, i)->action_id == action)
            return sw_report_row(report, i);
    return NULL;
}

/* Returns the largest relative error of all percentiles, in percent. */
static double quantile_error(const struct sw_distribution *d, const int64_t *sorted)
{
    double worst = 0;
    for (int p = 0; p <= 1000; p++) {
        double at = p / 1000.0;
        double exact = (double)sorted[(int64_t)(at * (VALUES - 1))];
        double error = fabs(sw_quantile(d, at) - exact) / exact;
        worst = error > worst ? error : worst;
    }
    return 100 * worst;
}

static void distribution(const char *name, double (*draw)(void))
{
    static int64_t value[VALUES];
    char label[64];
    struct sw_report *report = NULL;
    struct sw_profiler *sw = bench_open("profiler: { mode: simple, show_report: false }\n");
    int action = sw_action("drawn");
    fake_now = 0;
    sw_set_clock(sw, fake_clock, NULL);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < VALUES; i++) {
        value[i] = (int64_t)draw() + 1;
        sw_begin(sw, action);
        fake_now += value[i];
        sw_end(sw, action);
    }
    qsort(value, VALUES, sizeof *value, swi_by_integer);
    if (sw_report_new(sw, &report, NULL) > 0) {
        snprintf(label, sizeof label, "quantiles_%s", name);
        result_add_one(label, "% worst error",
                       quantile_error(&row_of(report, action)->durations, value));
    }
    sw_report_free(report);
    sw_close(sw, NULL);
}

/* Measures the relative error of 10^8 durations against a sum in 128 bits. */
static void sums(void)
{
    enum { CALLS = 100000000 };
    struct sw_report *report = NULL;
    struct sw_profiler *sw = bench_open("profiler: { mode: simple, show_report: false }\n");
    int action = sw_action("drawn");
    __extension__ unsigned __int128 exact = 0;
    fake_now = 0;
    sw_set_clock(sw, fake_clock, NULL);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < CALLS; i++) {
        int64_t ns = 1 + (int64_t)(1e6 * uniform());
        sw_begin(sw, action);
        fake_now += ns;
        sw_end(sw, action);
        exact += (uint64_t)ns;
    }
    if (sw_report_new(sw, &report, NULL) > 0)
        result_add_one(
            "sum_1e8", "relative error",
            (double)(fabsl((long double)row_of(report, action)->total_ns / (long double)exact -
                           1)));
    sw_report_free(report);
    sw_close(sw, NULL);
}

/* Compares a region of BENCH_SECONDS as measured by stepwatch and by the kernel, in parts per
 * million. */
static void drift(void)
{
    const char *wanted = getenv("BENCH_SECONDS");
    double seconds = wanted ? atof(wanted) : 60;
    struct sw_report *report = NULL;
    struct sw_profiler *sw = bench_open("profiler: { mode: simple, show_report: false }\n");
    int action = sw_action("waited");
    sw_begin(sw, SW_FIT);
    int64_t begin = now_ns();
    sw_begin(sw, action);
    nanosleep(&(struct timespec){(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)}, NULL);
    sw_end(sw, action);
    double exact = (double)(now_ns() - begin);
    if (sw_report_new(sw, &report, NULL) > 0)
        result_add_one("clock_drift", "ppm",
                       1e6 * fabs(row_of(report, action)->total_ns / exact - 1));
    sw_report_free(report);
    sw_close(sw, NULL);
}

static void run(void)
{
    distribution("uniform", draw_uniform);
    distribution("exponential", draw_exponential);
    distribution("log_normal", draw_log_normal);
    distribution("pareto", draw_pareto);
    distribution("bimodal", draw_bimodal);
    sums();
    drift();
}

const struct group accuracy_group = {"accuracy", run};
