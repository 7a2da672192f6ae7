/* SPDX-License-Identifier: MIT */
/* memory-growth: memory that grows steadily, by the metrics that a monitor or the program logs. The
 * first quarter is left out as loading. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"

#include <string.h>

enum { VALUES_LEAST = 32 };
#define CHANGE_LEAST 0.10
#define BYTES_LEAST (64.0 * 1024 * 1024)
#define Z_LEAST 3.29 /* p = 0.001, two-sided */
#define RISING_LEAST 0.8
#define HOURS_LEAST 0.1 /* for a rate per hour */

static const char formula[] =
    "the last 3/4 of the values, medians of 16 to 31 stretches: slope (Theil and Sen) >= 10 % and "
    ">= 64 MiB, z (Mann and Kendall) >= 3.29, 80 % of the stretches rise";

/* Names the whole process, or a GPU by its number in gpu/0/memory_used_bytes. */
static void whose_put(struct swi_text *text, const char *name)
{
    if (strncmp(name, "gpu/", 4) != 0) {
        swi_text_put(text, "The program's memory");
        return;
    }
    swi_text_put(text, "The memory of GPU ");
    swi_text_add(text, name + 4, strcspn(name + 4, "/"));
}

struct growth {
    const struct swi_advised_series *series;
    struct swi_trend trend;
    double hours, last;
};

static void say(struct swi_analysis *analysis, const struct growth *growth)
{
    double grown = growth->trend.change * growth->trend.start;
    struct swi_draft said = {.id = "memory-growth", .formula = formula, .level = SW_FINDING_HIGH};
    whose_put(&said.text, growth->series->name);
    swi_text_format(&said.text, " grew all the time, by %s to %s",
                    swi_word_percent(growth->trend.change).text, swi_word_bytes(growth->last).text);
    if (growth->hours >= HOURS_LEAST)
        swi_text_format(&said.text, ", %s an hour", swi_word_bytes(grown / growth->hours).text);
    swi_text_put(&said.text, ".");
    swi_text_put(&said.next, "Look for what is kept from step to step: losses with their graphs, "
                             "lists of metrics, caches.");
    swi_draft_number(&said, "change", growth->trend.change);
    swi_draft_text(&said, "metric", growth->series->name);
    swi_find(analysis, &said);
}

static double rising(const double *y, size_t n)
{
    size_t up = 0;
    for (size_t i = 0; i + 1 < n; i++)
        up += y[i + 1] > y[i];
    return (double)up / (double)(n - 1);
}

static void series_check(struct swi_analysis *analysis, const struct swi_advised_series *series)
{
    double y[SWI_STRETCHES_MAX];
    const struct swi_curve *bytes = &series->bytes;
    size_t from = bytes->count / 4, n = bytes->count - from;
    if (n < VALUES_LEAST)
        return;
    struct swi_stretches s = swi_stretch_medians(bytes->y + from, n, y, analysis->scratch);
    struct growth growth = {series, swi_trend_of(y, s.count), 0, y[s.count - 1]};
    growth.hours = (bytes->x[bytes->count - 1] - bytes->x[from]) / 3.6e12;
    const struct swi_trend *trend = &growth.trend;
    if (trend->change >= CHANGE_LEAST && trend->change * trend->start >= BYTES_LEAST &&
        trend->z >= Z_LEAST && rising(y, s.count) >= RISING_LEAST)
        say(analysis, &growth);
    else
        swi_check(analysis, "memory-growth", SWI_RULE_NONE, "%s %s", series->name,
                  swi_word_change(trend->change).text);
}

static void memory_growth(struct swi_analysis *analysis)
{
    for (size_t i = 0; i < analysis->fit->series_count; i++)
        series_check(analysis, &analysis->fit->series[i]);
}

const struct swi_rule swi_rule_memory_growth = {NULL, SWI_NEEDS_RUN, memory_growth};
