/* SPDX-License-Identifier: MIT */
#include "core/record.h"

#include <stdlib.h>
#include <string.h>

void swi_pool_init(struct swi_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->first = NULL;
}

void swi_pool_fini(struct swi_pool *pool)
{
    for (struct swi_record *record = pool->first, *next; record; record = next) {
        next = record->next;
        free(record);
    }
    pthread_mutex_destroy(&pool->lock);
}

static struct swi_record *pool_take(struct swi_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct swi_record *record = pool->first;
    if (record)
        pool->first = record->next;
    pthread_mutex_unlock(&pool->lock);
    return record;
}

static void pool_give(struct swi_pool *pool, struct swi_record *record)
{
    pthread_mutex_lock(&pool->lock);
    record->next = pool->first;
    pool->first = record;
    pthread_mutex_unlock(&pool->lock);
}

struct swi_record *swi_record_new(struct swi_pool *pool, enum sw_record_type type, size_t metrics)
{
    bool pooled = metrics <= SWI_POOL_METRICS;
    size_t room = pooled ? SWI_POOL_METRICS : metrics;
    struct swi_record *record = pooled ? pool_take(pool) : NULL;
    if (!record && !(record = malloc(sizeof *record + room * sizeof *record->metric)))
        return NULL;
    memset(record, 0, sizeof *record);
    atomic_init(&record->references, 1);
    record->pool = pooled ? pool : NULL;
    record->record.type = type;
    record->record.metrics.item = record->metric;
    return record;
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
        record->release(record);
    if (record->pool)
        pool_give(record->pool, record);
    else
        free(record);
}
