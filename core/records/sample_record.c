/* SPDX-License-Identifier: MIT */
#include "core/records/sample_record.h"

#include "core/records/metric_record.h"

/* The kept copy of a name, or one that the record frees; NULL without memory. */
static const char *name_keep(struct swi_recorder *records, const char *name,
                             struct swi_own_name **own)
{
    const char *kept = swi_names_get(records->names, name, false);
    struct swi_own_name *copy = kept ? NULL : swi_own_name_new(name);
    if (copy) {
        copy->next = *own;
        *own = copy;
    } else if (!kept) {
        swi_no_memory(records, "a metric's name");
    }
    return copy ? copy->text : kept;
}

void swi_emit_sample(struct swi_recorder *records, const char *const *names, const double *values,
                     size_t count, int64_t tick)
{
    struct swi_own_name *own = NULL;
    size_t used = 0;
    struct swi_record *record = count && swi_wants(records, SW_RECORD_MONITOR)
                                    ? swi_emit_new(records, SW_RECORD_METRICS, count, tick)
                                    : NULL;
    if (!record)
        return;
    for (size_t i = 0; i < count; i++) {
        const char *name = name_keep(records, names[i], &own);
        if (name)
            record->metric[used++] = (struct sw_metric){name, values[i], SW_BY_MONITOR};
    }
    record->record.metrics.count = used;
    if (own)
        swi_own_names_give(record, own);
    if (used)
        swi_emit_push(records, record);
    else
        swi_record_unref(record);
}
