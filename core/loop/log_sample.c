/* SPDX-License-Identifier: MIT */
/* Logs samples that the program itself took. */
#include "core/loop/calling_thread.h"
#include "core/records/sample_record.h"

#include <stepwatch/monitor.h>

void sw_log_sample(struct sw_profiler *sw, const char *const *names, const double *values,
                   size_t count)
{
    if (!sw || !names || !values || atomic_load(&sw->measured.dead) ||
        swi_is_inherited(&sw->measured))
        return;
    SWI_RARE_WORK(&sw->measured);
    SWI_FOLDED(&sw->measured); /* the step that the program is at */
    swi_emit_sample(&sw->records, names, values, count, swi_sampled_now(&sw->records));
}
