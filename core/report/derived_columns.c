/* SPDX-License-Identifier: MIT */
#include "core/report/derived_columns.h"
#include "core/counters/counter_table.h"
#include "core/counters/event_code.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <string.h>

/* Counters of the system have no rates: their totals are what people compare. */
static bool is_own(const struct swi_slot *slot)
{
    return slot->kind == SW_COUNTER_SUM && !swi_counters_find(slot->name) &&
           !swi_event_is_named(slot->name);
}

static bool is_called(const struct swi_slot *slot, const char *name)
{
    return strcmp(slot->name, name) == 0;
}

static struct swi_derived per_second(const struct swi_slot *slot, size_t i)
{
    if (is_called(slot, "flops"))
        return (struct swi_derived){SWI_PER_SECOND, i, i, 1, "gflop_per_s", "GFLOP/s", "GFLOP/s"};
    if (is_called(slot, "bytes"))
        return (struct swi_derived){SWI_PER_SECOND, i, i, 1, "gb_per_s", "GB/s", "GB/s"};
    return (struct swi_derived){.how = SWI_PER_SECOND, .a = i, .b = i, .scale = 1e9, .unit = ""};
}

static bool slot_find(const struct swi_slot *slot, size_t count, const char *name, size_t *i)
{
    for (*i = 0; *i < count; ++*i)
        if (is_called(&slot[*i], name))
            return true;
    return false;
}

/* Ratios of two counters, where both are measured. */
static const struct {
    const char *a, *b;
    double scale;
    const char *key, *header, *unit;
} ratios[] = {
    {"flops", "bytes", 1, "flop_per_byte", "FLOP/Byte", "FLOP/byte"},
    {"instructions", "cycles", 1, "ipc", "IPC", "instructions/cycle"},
    {"cache_misses", "instructions", 1000, "cache_misses_per_1000", "Cache Misses/1000",
     "misses/1000 instructions"},
    {"cycles", "cpu", 1, "ghz", "GHz", "GHz"},
};
enum { RATIOS = sizeof ratios / sizeof *ratios };
_Static_assert(RATIOS + 2 == SWI_DERIVED_MAX - SWI_SLOTS, "there is room for all");

static size_t ratios_find(struct swi_derived *derived, const struct swi_slot *slot, size_t count)
{
    size_t found = 0, a, b;
    for (size_t i = 0; i < RATIOS; i++)
        if (slot_find(slot, count, ratios[i].a, &a) && slot_find(slot, count, ratios[i].b, &b))
            derived[found++] = (struct swi_derived){
                SWI_PER_OTHER, a, b, ratios[i].scale, ratios[i].key, ratios[i].header,
                ratios[i].unit};
    return found;
}

size_t swi_derived_find(struct swi_derived *derived, const struct swi_slot *slot, size_t count,
                        double peak_flops)
{
    size_t found = 0, flops, cpu;
    for (size_t i = 0; i < count; i++)
        if (is_own(&slot[i]))
            derived[found++] = per_second(&slot[i], i);
    found += ratios_find(derived + found, slot, count);
    if (slot_find(slot, count, "flops", &flops) && peak_flops > 0)
        derived[found++] =
            (struct swi_derived){SWI_OF_PEAK, flops, flops, 100e9 / peak_flops, "mfu", "MFU", "%"};
    if (slot_find(slot, count, "cpu", &cpu))
        derived[found++] =
            (struct swi_derived){SWI_OF_TIME, cpu, cpu, 100, "cpu_percent", "CPU %", "%"};
    return found;
}

/* INT64_MAX stands for whatever is larger, too. */
static bool is_known(int64_t total)
{
    return total != SW_COUNTER_NONE && total != INT64_MAX;
}

/* The model's utilization is that of whole training steps. */
static bool has_value(const struct swi_derived *derived, const struct sw_report_row *row)
{
    bool step = row->phase_id == SW_PHASE_TRAIN && row->action_id == SW_STEP;
    return is_known(row->counter[derived->a].total) && is_known(row->counter[derived->b].total) &&
           (derived->how != SWI_OF_PEAK || step);
}

double swi_derived_value(const struct swi_derived *derived, const struct sw_report_row *row)
{
    if (!row->counter || !has_value(derived, row))
        return NAN;
    double total = (double)row->counter[derived->a].total;
    double by =
        derived->how == SWI_PER_OTHER ? (double)row->counter[derived->b].total : row->total_ns;
    return by > 0 ? total / by * derived->scale : NAN;
}
