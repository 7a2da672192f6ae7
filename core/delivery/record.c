/* SPDX-License-Identifier: MIT */
#include "core/delivery/record.h"

#include <stdlib.h>
#include <string.h>

void swi_pool_init(struct swi_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->first[0] = pool->first[1] = NULL;
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
    list_free(pool->first[0]);
    list_free(pool->first[1]);
    pthread_mutex_destroy(&pool->lock);
}

static struct swi_record *pool_take(struct swi_pool *pool, bool few)
{
    pthread_mutex_lock(&pool->lock);
    struct swi_record *record = pool->first[few];
    if (record)
        pool->first[few] = record->next;
    pthread_mutex_unlock(&pool->lock);
    return record;
}

static void pool_give(struct swi_pool *pool, struct swi_record *record)
{
    pthread_mutex_lock(&pool->lock);
    record->next = pool->first[record->few];
    pool->first[record->few] = record;
    pthread_mutex_unlock(&pool->lock);
}

struct swi_record *swi_record_new(struct swi_pool *pool, enum sw_record_type type, size_t metrics)
{
    bool pooled = metrics <= SWI_POOL_METRICS, few = metrics <= SWI_POOL_FEW;
    size_t room = few ? SWI_POOL_FEW : pooled ? SWI_POOL_METRICS : metrics;
    struct swi_record *record = pooled ? pool_take(pool, few) : NULL;
    if (!record && !(record = malloc(sizeof *record + room * sizeof *record->metric)))
        return NULL;
    memset(record, 0, sizeof *record);
    atomic_init(&record->references, 1);
    record->pool = pooled ? pool : NULL;
    record->few = few;
    record->bytes = sizeof *record + room * sizeof *record->metric;
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
