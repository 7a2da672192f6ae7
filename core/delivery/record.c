/* SPDX-License-Identifier: MIT */
#include "core/delivery/record.h"
#include "core/trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* Most records are of steps and of a few values, and thousands of them may wait, so the first sizes
 * fill whole lines of the cache: 448, 576 and 768 bytes. */
static const size_t rooms[SWI_POOL_SIZES] = {5, 10, 16, SWI_POOL_METRICS, 256, 1024};
_Static_assert(sizeof(struct swi_record) + 5 * sizeof(struct sw_metric) <= 448,
               "a record of a step needs more than 7 cache lines");

_Static_assert(offsetof(struct swi_record, references) / 64 ==
                   (offsetof(struct swi_record, bytes) + sizeof(size_t) - 1) / 64,
               "the dispatcher needs more than one cache line of a record");

static size_t bytes_of(size_t room)
{
    size_t bytes = sizeof(struct swi_record) + room * sizeof(struct sw_metric);
    return (bytes + 63) / 64 * 64;
}

/* ---- the pool -------------------------------------------------------------------------------- */

void swi_pool_init(struct swi_pool *pool)
{
    *pool = (struct swi_pool){.taken = ATOMIC_FLAG_INIT};
    for (int i = 0; i < SWI_POOL_SIZES; i++)
        atomic_init(&pool->returned[i], NULL);
}

static void list_free(struct swi_record *record)
{
    for (struct swi_record *next; record; record = next) {
        next = record->next;
        free(record);
    }
}

void swi_pool_fini(struct swi_pool *pool)
{
    for (int i = 0; i < SWI_POOL_SIZES; i++) {
        list_free(pool->ready[i]);
        list_free(atomic_load(&pool->returned[i]));
    }
}

/* Takes everything that was returned at once: if records were taken one by one while others add
 * some, a record could be returned again in the middle. */
static struct swi_record *ready_take(struct swi_pool *pool, unsigned size)
{
    struct swi_record **ready = &pool->ready[size];
    if (!*ready)
        *ready = atomic_exchange_explicit(&pool->returned[size], NULL, memory_order_acquire);
    struct swi_record *record = *ready;
    *ready = record ? record->next : NULL;
    if (*ready)
        swi_record_fetch(*ready);
    return record;
}

static struct swi_record *pool_take(struct swi_pool *pool, unsigned size)
{
    struct swi_record *record = NULL;
    if (!atomic_flag_test_and_set_explicit(&pool->taken, memory_order_acquire)) {
        record = ready_take(pool, size);
        atomic_flag_clear_explicit(&pool->taken, memory_order_release);
    }
    return record;
}

static void pool_give(struct swi_pool *pool, struct swi_record *record)
{
    _Atomic(struct swi_record *) *returned = &pool->returned[record->size];
    record->next = atomic_load_explicit(returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(returned, &record->next, record,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Returns the smallest size with enough room, or SWI_POOL_SIZES. */
static unsigned size_of(size_t metrics)
{
    unsigned size = 0;
    while (size < SWI_POOL_SIZES && metrics > rooms[size])
        size++;
    return size;
}

struct swi_record *swi_record_new(struct swi_pool *pool, enum sw_record_type type, size_t metrics)
{
    unsigned size = size_of(metrics);
    bool pooled = size < SWI_POOL_SIZES;
    size_t room = pooled ? rooms[size] : metrics;
    struct swi_record *record = pooled ? pool_take(pool, size) : NULL;
    if (!record && !(record = malloc(bytes_of(room))))
        return NULL;
    memset(record, 0, sizeof *record);
    atomic_init(&record->references, 1);
    record->pool = pooled ? pool : NULL;
    record->size = (uint8_t)size;
    record->bytes = bytes_of(room);
    record->record.size = sizeof record->record;
    record->record.type = type;
    record->wanted = (uint8_t)type;
    record->record.metrics.stride = sizeof *record->metric;
    record->record.metrics.item = record->metric;
    record->record.regions.stride = sizeof(struct sw_region);
    return record;
}

int64_t swi_record_holds(const struct swi_record *record)
{
    if (record->slice)
        return swi_slice_events(record->slice);
    bool one = record->record.type == SW_RECORD_STEP || record->record.type == SW_RECORD_SPAN;
    return one ? 1 : (int64_t)record->record.metrics.count;
}

void swi_record_ref(struct swi_record *record)
{
    atomic_fetch_add_explicit(&record->references, 1, memory_order_relaxed);
}

void swi_record_unref(struct swi_record *record)
{
    if (atomic_fetch_sub_explicit(&record->references, 1, memory_order_acq_rel) > 1)
        return;
    if (record->release)
        record->release(record->owned);
    if (record->pool)
        pool_give(record->pool, record);
    else
        free(record);
}
