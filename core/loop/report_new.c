/* SPDX-License-Identifier: MIT */
/* Makes the report that the program asks for. */
#include "core/counters/counted_memory.h"
#include "core/loop/inherited.h"
#include "core/loop/state.h"

int sw_report_new(struct sw_profiler *sw, struct sw_report **report, struct sw_error *err)
{
    SWI_OWN_MEMORY;
    if (!sw)
        return sw_error_set(err, SW_EINVAL, "a report needs a profiler, but the one given is NULL");
    if (swi_is_inherited(&sw->measured))
        return swi_inherited_refuse(sw, err);
    SWI_PIECE(&sw->measured);
    struct sw_report *made = swi_report_now(&sw->moments);
    if (!made)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a report");
    *report = made;
    return (int)made->count;
}
