/* SPDX-License-Identifier: MIT */
#include "tools/log/played_counters.h"

#include <string.h>

void counters_name(struct played_counters *counters, struct sw_profiler *sw, const json_t *line)
{
    struct sw_counter_info info = {
        .size = sizeof info,
        .name = log_string(line, "name", ""),
        .unit = log_string(line, "unit", ""),
        .kind =
            strcmp(log_string(line, "kind", "sum"), "peak") == 0 ? SW_COUNTER_PEAK : SW_COUNTER_SUM,
        .less = log_integer(line, "less", 0),
        .steps_only = json_is_true(json_object_get(line, "steps")),
        .standard = (int)log_integer(line, "standard", 0),
    };
    if (counters->count == PLAYED_COUNTERS)
        return;
    counters->item[counters->count].number = sw_set_counter(sw, &info);
    counters->item[counters->count++].kind = info.kind;
}

/* A log that was cut off names them again. */
void counters_of_run(struct played_counters *counters, struct sw_profiler *sw, const json_t *run)
{
    const json_t *list = json_object_get(run, "counters");
    for (size_t i = counters->count; i < json_array_size(list); i++)
        counters_name(counters, sw, json_array_get(list, i));
}

static int64_t value_of(const json_t *value)
{
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : SW_COUNTER_NONE;
}

void counters_read(const struct played_counters *counters, struct sw_profiler *sw,
                   const json_t *line)
{
    const json_t *sums = json_object_get(line, "c"), *peaks = json_object_get(line, "p");
    size_t sum = 0, peak = 0;
    for (size_t i = 0; i < counters->count; i++) {
        bool is_peak = counters->item[i].kind == SW_COUNTER_PEAK;
        if (is_peak && peaks)
            sw_set_use(sw, counters->item[i].number, value_of(json_array_get(peaks, peak)),
                       SW_COUNTER_NONE);
        else if (!is_peak && sum < json_array_size(sums))
            sw_set_reading(sw, counters->item[i].number, value_of(json_array_get(sums, sum)));
        peak += is_peak;
        sum += !is_peak;
    }
}

void counters_use(const struct played_counters *counters, struct sw_profiler *sw,
                  const char *action, bool inner, size_t call, bool several)
{
    const json_t *uses = json_object_get(inner ? counters->inner_uses : counters->uses, action);
    if (several)
        uses = json_array_get(uses, call);
    for (size_t i = 0; i < counters->count && i < json_array_size(uses); i++) {
        const json_t *use = json_array_get(uses, i);
        if (json_is_array(use))
            sw_set_use(sw, counters->item[i].number, value_of(json_array_get(use, 0)),
                       value_of(json_array_get(use, 1)));
    }
}
