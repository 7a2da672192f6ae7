/* SPDX-License-Identifier: MIT */
#include "sinks/common/sample_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool swi_sample_name(char name[SWI_SAMPLE_NAME], const char *metric, const char *pattern,
                     const char *other)
{
    size_t before = strcspn(pattern, "*"), length = strlen(metric), part = 0;
    const char *rest = pattern + before;
    if (strncmp(metric, pattern, before) != 0)
        return false;
    if (*rest) {
        size_t after = strlen(++rest);
        if (length <= before + after)
            return false;
        part = length - before - after;
    }
    bool path = strncmp(pattern, "system/", 7) == 0;
    if (strcmp(metric + before + part, rest) != 0 || (!path && memchr(metric + before, '/', part)))
        return false;
    int head = (int)strcspn(other, "*");
    snprintf(name, SWI_SAMPLE_NAME, "%.*s%.*s%s", head, other, (int)part, metric + before,
             other[head] ? other + head + 1 : "");
    return true;
}

/* ---- sums of rates --------------------------------------------------------------------------- */

struct swi_sample_sum {
    double value;
    int64_t time_ns; /* of its newest rate; 0: none */
};

/* Of the time since the rate before it, or since the first sample, which had none. */
static double summed(struct swi_sample_sums *sums, const char *name, double per_s, int64_t time_ns)
{
    struct swi_sample_sum *sum =
        swi_map_item(&sums->names, &sums->sum, sizeof *sum, name, strlen(name));
    if (!sum)
        return 0;
    int64_t since_ns = sum->time_ns ? sum->time_ns : sums->begun_ns;
    sum->value += per_s * ((double)(time_ns - since_ns) * 1e-9);
    sum->time_ns = time_ns;
    return sum->value;
}

void swi_sample_sums_free(struct swi_sample_sums *sums)
{
    swi_map_free(&sums->names);
    free(sums->sum);
    *sums = (struct swi_sample_sums){0};
}

/* ---- tables ---------------------------------------------------------------------------------- */

bool swi_sample_rename(struct swi_renamed *to, struct swi_sample_sums *sums,
                       const struct swi_sample_name *table, size_t count,
                       const struct sw_record *record, const struct sw_metric *metric)
{
    static const char per_s[] = "_per_s";
    char bare[SWI_SAMPLE_NAME];
    size_t length = strlen(metric->name), end = sizeof per_s - 1;
    bool rate = length > end && strcmp(metric->name + length - end, per_s) == 0;
    snprintf(bare, sizeof bare, "%.*s", (int)(rate ? length - end : length), metric->name);
    if (!sums->begun)
        sums->begun_ns = record->time_ns;
    sums->begun = true;
    for (const struct swi_sample_name *row = table; row < table + count; row++) {
        const char *name = row->summed ? bare : metric->name;
        if (!swi_sample_name(to->name, name, row->metric, row->name))
            continue;
        bool sum = row->summed && rate;
        double value = sum ? summed(sums, to->name, metric->value, record->time_ns) : metric->value;
        to->value = value / row->unit;
        return true;
    }
    return false;
}
