/* SPDX-License-Identifier: MIT */
#include "tools/log/played_counters.h"

#include <stepwatch/replay.h>

#include <string.h>

void counters_name(struct played_counters *counters, struct sw_profiler *sw,
                   const struct log_value *line)
{
    struct sw_counter_info info = {
        .size = sizeof info,
        .name = log_string(line, "name", ""),
        .unit = log_string(line, "unit", ""),
        .kind =
            strcmp(log_string(line, "kind", "sum"), "peak") == 0 ? SW_COUNTER_PEAK : SW_COUNTER_SUM,
        .less = log_integer(line, "less", 0),
        .steps_only = log_true(line, "steps"),
        .standard = (int)log_integer(line, "standard", 0),
    };
    if (counters->count == PLAYED_COUNTERS)
        return;
    counters->item[counters->count].number = sw_set_counter(sw, &info);
    counters->item[counters->count++].kind = info.kind;
}

/* A log that was cut off names them again. */
void counters_of_run(struct played_counters *counters, struct sw_profiler *sw,
                     const struct log_value *run)
{
    const struct log_value *list = log_get(run, "counters");
    for (size_t i = counters->count; i < log_count(list); i++)
        counters_name(counters, sw, log_at(list, i));
}

static int64_t value_of(const struct log_value *value)
{
    return log_is(value, LOG_INTEGER) ? (int64_t)log_whole(value) : SW_COUNTER_NONE;
}

void counters_read(const struct played_counters *counters, struct sw_profiler *sw,
                   const struct log_value *line)
{
    const struct log_value *sums = log_get(line, "c"), *peaks = log_get(line, "p");
    size_t sum = 0, peak = 0;
    for (size_t i = 0; i < counters->count; i++) {
        bool is_peak = counters->item[i].kind == SW_COUNTER_PEAK;
        if (is_peak && peaks)
            sw_set_use(sw, counters->item[i].number, value_of(log_at(peaks, peak)),
                       SW_COUNTER_NONE);
        else if (!is_peak && sum < log_count(sums))
            sw_set_reading(sw, counters->item[i].number, value_of(log_at(sums, sum)));
        peak += is_peak;
        sum += !is_peak;
    }
}

/* A peak is there once for each of the steps. */
static int64_t total_of(const struct played_counters *counters, size_t i,
                        const struct log_value *use)
{
    int64_t total = value_of(log_at(use, 0));
    bool peak = counters->item[i].kind == SW_COUNTER_PEAK;
    return peak && total != SW_COUNTER_NONE ? total / counters->steps : total;
}

void counters_use(const struct played_counters *counters, struct sw_profiler *sw,
                  const char *action, bool inner, size_t call, bool several)
{
    const struct log_value *uses = log_get(inner ? counters->inner_uses : counters->uses, action);
    if (several)
        uses = log_at(uses, call);
    for (size_t i = 0; i < counters->count && i < log_count(uses); i++) {
        const struct log_value *use = log_at(uses, i);
        if (log_is(use, LOG_ARRAY))
            sw_set_use(sw, counters->item[i].number, total_of(counters, i, use),
                       value_of(log_at(use, 1)));
    }
}
