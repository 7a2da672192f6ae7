/* SPDX-License-Identifier: MIT */
#include "core/rows/counter_slots.h"

#include <stepwatch/stepwatch.h>

struct swi_slot swi_counters_slot(const struct swi_counters *counters, int i)
{
    if (i < counters->chosen)
        return counters->slot[i];
    const char *name = swi_user_counter_name(i - counters->chosen);
    return (struct swi_slot){
        .name = name, .label = name, .unit = swi_user_counter_unit(name), .kind = SW_COUNTER_SUM};
}

const struct sw_counter_info *swi_counters_info(const struct swi_counters *counters, int i)
{
    return &counters->info[i];
}

void swi_counters_tell(struct swi_counters *counters, int i)
{
    struct swi_slot slot = swi_counters_slot(counters, i);
    counters->info[i] = (struct sw_counter_info){.size = sizeof counters->info[i],
                                                 .name = slot.name,
                                                 .unit = slot.unit,
                                                 .kind = slot.kind,
                                                 .number = i,
                                                 .less = slot.less,
                                                 .steps_only = slot.steps_only,
                                                 .standard = (int)slot.shown};
}

bool swi_counters_shows(const struct swi_counters *counters, int i)
{
    return i < counters->chosen || atomic_load(&counters->counted[i - counters->chosen]);
}

bool swi_counters_may_fall(const struct swi_counters *counters, int i)
{
    return i < counters->chosen && !counters->slot[i].own;
}

bool swi_counters_is_wide(int action)
{
    return (action >= SW_FIT && action <= SW_VALID) || action == SW_DRAW || action == SW_BATCH ||
           action == SW_STEP;
}

bool swi_counters_applies(const struct swi_counters *counters, int i, int action)
{
    return i >= counters->chosen || !counters->slot[i].steps_only || swi_counters_is_wide(action);
}
