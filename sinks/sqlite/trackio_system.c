/* SPDX-License-Identifier: MIT */
#include "sinks/sqlite/trackio_system.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"

#include <math.h>
#include <string.h>

static const double megabyte = 1e6, gibibyte = 1073741824.0;

static void pair_add(struct swi_text *json, const char *name, double value)
{
    swi_text_put(json, json->size ? "," : "{");
    swi_escape_json(json, name);
    swi_text_put(json, ":");
    swi_number_json(json, value);
}

/* Returns the sum of the values whose names begin and end so; NAN if there is none. */
static double sum_of(const struct sw_record *record, const char *begin, const char *end)
{
    double sum = NAN;
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        size_t size = strlen(metric->name), tail = strlen(end);
        if (strncmp(metric->name, begin, strlen(begin)) == 0 && size >= strlen(begin) + tail &&
            strcmp(metric->name + size - tail, end) == 0)
            sum = isnan(sum) ? metric->value : sum + metric->value;
    }
    return sum;
}

static void known_add(struct swi_text *json, const char *name, double value)
{
    if (!isnan(value))
        pair_add(json, name, value);
}

/* What has a name in Trackio. */
static const char *const taken[] = {"system/cpu_percent",
                                    "system/memory_percent",
                                    "system/memory_total_bytes",
                                    "system/memory_available_bytes",
                                    "system/swap_percent",
                                    "system/network/received_bytes_per_s",
                                    "system/network/sent_bytes_per_s"};

static bool is_taken(const char *name)
{
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return strncmp(name, "system/disk/", 12) == 0;
}

static void renamed_add(struct swi_text *json, const struct sw_record *record)
{
    double total = sum_of(record, "system/memory_total_bytes", "");
    double available = sum_of(record, "system/memory_available_bytes", "");
    known_add(json, "cpu/utilization", sum_of(record, "system/cpu_percent", ""));
    known_add(json, "memory/used", (total - available) / gibibyte);
    known_add(json, "memory/total", total / gibibyte);
    known_add(json, "memory/available", available / gibibyte);
    known_add(json, "memory/percent", sum_of(record, "system/memory_percent", ""));
    known_add(json, "swap/percent", sum_of(record, "system/swap_percent", ""));
    known_add(json, "disk/read_mb_per_sec",
              sum_of(record, "system/disk/", "/read_bytes_per_s") / megabyte);
    known_add(json, "disk/write_mb_per_sec",
              sum_of(record, "system/disk/", "/written_bytes_per_s") / megabyte);
    known_add(json, "network/recv_mb_per_sec",
              sum_of(record, "system/network/received_bytes_per_s", "") / megabyte);
    known_add(json, "network/sent_mb_per_sec",
              sum_of(record, "system/network/sent_bytes_per_s", "") / megabyte);
}

void swi_trackio_sample(struct swi_text *json, const struct sw_record *record)
{
    renamed_add(json, record);
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (!is_taken(metric->name))
            pair_add(json, metric->name, metric->value);
    }
    swi_text_put(json, json->size ? "}" : "{}");
}
