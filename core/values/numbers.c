/* SPDX-License-Identifier: MIT */
/* Logs several numbers as one record. */
#include "core/values/numbers.h"
#include "core/values/logging.h"

#include <stdint.h>
#include <stdlib.h>

/* A metric record that is being filled. Its names are kept copies, so equal names are one pointer.
 * If there are many, a hash table finds them. */
struct numbers_filled {
    struct swi_record *record;
    struct swi_own_name *own; /* names that are not kept */
    uint32_t *place;          /* index + 1 of the metric, by the address of its name */
    size_t places;            /* a power of two; 0: few numbers, no table */
};

enum { FEW = 16 };

static size_t hash_of(const char *name)
{
    return (size_t)((uintptr_t)name >> 4) * (size_t)UINT64_C(0x9e3779b97f4a7c15) >> 16;
}

static bool places_init(struct numbers_filled *filling, size_t count)
{
    if (count <= FEW)
        return true;
    for (filling->places = 2; filling->places < 2 * count;)
        filling->places *= 2;
    filling->place = calloc(filling->places, sizeof *filling->place);
    return filling->place;
}

/* Returns the place of the metric with this name, or the end. */
static size_t index_of(struct numbers_filled *filling, const char *name)
{
    const struct sw_metric *metric = filling->record->metric;
    size_t count = filling->record->record.metrics.count, i = 0;
    if (!filling->places) {
        while (i < count && metric[i].name != name)
            i++;
        return i;
    }
    size_t at = hash_of(name) & (filling->places - 1);
    while (filling->place[at] && metric[filling->place[at] - 1].name != name)
        at = (at + 1) & (filling->places - 1);
    if (!filling->place[at])
        filling->place[at] = (uint32_t)count + 1;
    return filling->place[at] - 1;
}

/* Returns the name as the record keeps it; NULL if it is refused or out of memory. */
static const char *name_of(struct sw_profiler *sw, struct numbers_filled *filling, const char *name)
{
    const char *kept = swi_names_get(sw->records.names, name, false);
    if (kept)
        return kept;
    enum sw_value_kind kind = swi_names_kind(sw->records.names, name);
    if (kind != SWI_NUMBER) {
        swi_refuse(&sw->records.refusals, &sw->records.messages, SWI_NUMBER, name,
                   "the name has %s: use another one", swi_values_plural(kind));
        return NULL;
    }
    struct swi_own_name *own = swi_own_name_new(name);
    if (!own) {
        swi_no_memory(&sw->records, "a metric's name");
        return NULL;
    }
    own->next = filling->own;
    filling->own = own;
    return own->text;
}

static void number_add(struct sw_profiler *sw, struct numbers_filled *filling,
                       const struct sw_named *number)
{
    const char *name = number->name ? name_of(sw, filling, number->name) : NULL;
    if (!name)
        return;
    struct swi_record *record = filling->record;
    size_t at = index_of(filling, name);
    record->metric[at] = (struct sw_metric){.name = name, .value = number->value, .by = SW_BY_USER};
    if (at == record->record.metrics.count)
        record->record.metrics.count++;
}

/* Values that the loop logged earlier come first. */
static void pending_send(struct sw_profiler *sw, const struct swi_thread *thread, int64_t tick)
{
    if (thread->loop && sw->loop.values.count)
        swi_emit_metrics(&sw->records, &sw->loop.values, NULL, NULL, swi_step_current(sw, thread),
                         tick);
}

/* One step for all, with which no name has a value yet. */
static void record_step(struct sw_profiler *sw, const struct swi_thread *thread,
                        struct swi_record *record)
{
    size_t count = record->record.metrics.count;
    bool own = count && swi_steps_are_own(sw, thread);
    const char **kept = own ? malloc(count * sizeof *kept) : NULL;
    for (size_t i = 0; kept && i < count; i++)
        kept[i] = swi_names_get(sw->records.names, record->metric[i].name, false);
    record->record.step_source = own ? SW_STEP_COUNTED : SW_STEP_OF_LOOP;
    record->record.step =
        own ? swi_own_step(sw, kept, kept ? count : 0) : swi_step_current(sw, thread);
    free(kept);
}

void swi_numbers_log(struct sw_profiler *sw, const struct swi_thread *thread,
                     const struct sw_named *number, size_t count)
{
    SWI_FOLDED(&sw->measured);
    struct numbers_filled filling = {0};
    int64_t tick = swi_clock_tick(&sw->measured.clock);
    pending_send(sw, thread, tick);
    filling.record = swi_emit_new(&sw->records, SW_RECORD_METRICS, count, tick);
    if (!filling.record)
        return;
    if (places_init(&filling, count))
        for (size_t i = 0; i < count; i++)
            number_add(sw, &filling, &number[i]);
    else
        swi_no_memory(&sw->records, "metrics");
    free(filling.place);
    if (filling.own)
        swi_own_names_give(filling.record, filling.own);
    record_step(sw, thread, filling.record);
    if (filling.record->record.metrics.count)
        swi_emit_push(&sw->records, filling.record);
    else
        swi_record_unref(filling.record);
}

void sw_log_many(struct sw_profiler *sw, const struct sw_named *value, size_t count)
{
    if (!sw || !value || !count || !swi_wants(&sw->records, SW_RECORD_METRICS))
        return;
    const struct swi_thread *thread = swi_thread_get(sw);
    if (!thread)
        return;
    SWI_RARE_WORK(&sw->measured);
    swi_numbers_log(sw, thread, value, count);
}
