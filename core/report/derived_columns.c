/* SPDX-License-Identifier: MIT */
#include "core/report/derived_columns.h"
#include "core/counters/counter_table.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <string.h>

/* Counters of the system have no rates: their totals are what people compare. */
static bool is_own(const struct swi_slot *slot)
{
    return slot->kind == SW_COUNTER_SUM && !swi_counters_find(slot->name);
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

size_t swi_derived_find(struct swi_derived *derived, const struct swi_slot *slot, size_t count,
                        double peak_flops)
{
    size_t found = 0, flops, bytes, cpu;
    for (size_t i = 0; i < count; i++)
        if (is_own(&slot[i]))
            derived[found++] = per_second(&slot[i], i);
    bool has_flops = slot_find(slot, count, "flops", &flops);
    if (has_flops && slot_find(slot, count, "bytes", &bytes))
        derived[found++] = (struct swi_derived){SWI_PER_OTHER,   flops,       bytes,      1,
                                                "flop_per_byte", "FLOP/Byte", "FLOP/byte"};
    if (has_flops && peak_flops > 0)
        derived[found++] =
            (struct swi_derived){SWI_OF_PEAK, flops, flops, 100e9 / peak_flops, "mfu", "MFU", "%"};
    if (slot_find(slot, count, "cpu", &cpu))
        derived[found++] =
            (struct swi_derived){SWI_OF_TIME, cpu, cpu, 100, "cpu_percent", "CPU %", "%"};
    return found;
}

/* The model's utilization is that of whole training steps. */
static bool has_value(const struct swi_derived *derived, const struct sw_report_row *row)
{
    bool step = row->phase_id == SW_PHASE_TRAIN && row->action_id == SW_STEP;
    return row->counter[derived->a].total != SW_COUNTER_NONE &&
           row->counter[derived->b].total != SW_COUNTER_NONE &&
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
