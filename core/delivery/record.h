/* SPDX-License-Identifier: MIT */
/* record.h - records: made once by the core, shared by all queues, freed by the last of them. */
#ifndef CORE_DELIVERY_RECORD_H
#define CORE_DELIVERY_RECORD_H

#include <stepwatch/sink.h>

#include <pthread.h>
#include <stdatomic.h>

/* Metrics that fit into a record of the pool; a record with more is allocated by itself. Most have
 * few: they are kept apart, as thousands of them may wait for a slow sink. */
#define SWI_POOL_METRICS 64
#define SWI_POOL_FEW 8

struct swi_pool;
struct swi_slice;

/* A record and the memory it needs. The public record comes first: a pointer to it is one to this.
 */
struct swi_record {
    struct sw_record record;
    atomic_int references;
    struct swi_pool *pool;   /* where it goes back to; NULL: free() */
    struct swi_record *next; /* in a free list of the pool */
    bool few;                /* has room for SWI_POOL_FEW metrics only */
    size_t bytes;            /* of memory: its own, and what it owns as far as it was added */
    void (*release)(struct swi_record *self); /* frees what record's pointers own; may be NULL */
    void *owned;                              /* for release */
    const struct swi_slice *slice;            /* regions that are still events; NULL: none */
    struct sw_metric metric[];                /* room for the metrics that it was made for */
};

/* Free records, of SWI_POOL_METRICS metrics and of few: no allocation once it is warm. */
struct swi_pool {
    pthread_mutex_t lock;
    struct swi_record *first[2];
};

void swi_pool_init(struct swi_pool *pool);
/* Every record must have come back. */
void swi_pool_fini(struct swi_pool *pool);

/* A zeroed record with one reference and room for `metrics` metrics; record.metrics.item points at
 * them. NULL without memory. */
struct swi_record *swi_record_new(struct swi_pool *pool, enum sw_record_type type, size_t metrics);

void swi_record_ref(struct swi_record *record);
void swi_record_unref(struct swi_record *record);

#endif
