/* SPDX-License-Identifier: MIT */
#include "core/records/metric_record.h"
#include "core/rows/current_profiler.h"
#include "core/rows/measured.h"

#include <string.h>

static void own_names_release(void *names)
{
    swi_own_names_free(names);
}

void swi_own_names_give(struct swi_record *record, struct swi_own_name *names)
{
    record->owned = names;
    record->release = own_names_release;
    for (; names; names = names->next)
        record->bytes += sizeof *names + strlen(names->text);
}

/* Returns the interned name, or one that the record frees; NULL if out of memory. */
static const char *name_keep(struct swi_recorder *records, const char *name,
                             struct swi_own_name **own)
{
    const char *interned = swi_names_get(records->names, name, false);
    struct swi_own_name *copy = interned ? NULL : swi_own_name_new(name);
    if (copy) {
        copy->next = *own;
        *own = copy;
    } else if (!interned) {
        swi_no_memory(records, "a metric's name");
    }
    return copy ? copy->text : interned;
}

/* Tells the findings how much memory a fit uses. */
static void memory_note(struct swi_recorder *records, const struct sw_metric *values, size_t count,
                        int64_t tick)
{
    struct swi_measured *measured = records->measured;
    if (!atomic_load(&measured->progress.fit_open))
        return;
    double t_ns = (double)swi_clock_ns(&measured->clock, tick);
    for (size_t i = 0; i < count; i++)
        if (swi_is_memory_name(values[i].name))
            swi_memory_use_add(&measured->memory, SWI_GET(measured->progress.fit_number),
                               values[i].name, t_ns, values[i].value);
}

/* Whoever holds the fold lock may wait for this sample (core/monitors/monitors.c), and is folding.
 */
struct swi_sampled_at swi_sampled_now(const struct swi_recorder *records)
{
    struct swi_measured *measured = records->measured;
    struct swi_fold_lock *lock = swi_fold_try(measured);
    if (lock)
        lock->fold(lock->arg);
    swi_fold_give(lock);
    int64_t next = SWI_GET(measured->progress.step);
    return (struct swi_sampled_at){swi_clock_tick(&measured->clock), next > 0 ? next - 1 : 0};
}

void swi_recorder_sample(struct swi_recorder *records, const struct sw_metric *values, size_t count,
                         struct swi_sampled_at at)
{
    struct swi_own_name *own = NULL;
    size_t used = 0;
    if (swi_wants(records, SW_RECORD_FINDINGS))
        memory_note(records, values, count, at.tick);
    struct swi_record *record = count && swi_wants(records, SW_RECORD_MONITOR)
                                    ? swi_recorder_make(records, SW_RECORD_METRICS, count, at.tick)
                                    : NULL;
    if (!record)
        return;
    record->record.step = at.step;
    for (size_t i = 0; i < count; i++) {
        const char *name = name_keep(records, values[i].name, &own);
        if (name)
            record->metric[used++] = (struct sw_metric){name, values[i].value, SW_BY_MONITOR};
    }
    record->record.metrics.count = used;
    if (own)
        swi_own_names_give(record, own);
    if (used)
        swi_recorder_push(records, record);
    else
        swi_record_unref(record);
}
