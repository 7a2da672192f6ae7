/* SPDX-License-Identifier: MIT */
/* record.h - records: made once by the core, shared by all queues, freed by the last of them. */
#ifndef CORE_DELIVERY_RECORD_H
#define CORE_DELIVERY_RECORD_H

#include <stepwatch/sink.h>

#include <stdatomic.h>
#include <stdbool.h>

/* Metrics that fit into the smallest and into a middle record of the pool. Most have few: sizes are
 * kept apart, as thousands of records may wait for a slow sink. */
#define SWI_POOL_METRICS 64
#define SWI_POOL_FEW 8

/* How many sizes the pool has; a larger record is allocated by itself. */
enum { SWI_POOL_SIZES = 5 };

struct swi_pool;
struct swi_slice;

/* A record and the memory it needs. The public record comes first: a pointer to it is one to this.
 */
struct swi_record {
    struct sw_record record;
    atomic_int references;
    struct swi_pool *pool;   /* where it goes back to; NULL: free() */
    struct swi_record *next; /* in a free list of the pool, or on its way to the queues */
    unsigned size;           /* which of the pool's */
    bool reserved;           /* its memory is the pool's; else it was allocated by itself */
    size_t room;             /* metrics */
    size_t bytes;            /* of memory: its own, and what it owns as far as it was added */
    void (*release)(struct swi_record *self); /* frees what record's pointers own; may be NULL */
    void *owned;                              /* for release */
    const struct swi_slice *slice;            /* regions that are still events; NULL: none */
    /* Completes what is left to do off the loop's thread: called before any sink gets the record.
     * False where there is nothing to give. NULL: it is complete. */
    bool (*finish)(struct swi_record *self);
    struct sw_metric metric[]; /* room for the metrics that it was made for */
};

/* Free records, by size. No lock that another thread may hold for long, and no system call: they
 * are taken on the loop's thread. */
struct swi_pool {
    atomic_flag taken; /* a thread is taking a record; another one allocates its own meanwhile */
    struct swi_record *ready[SWI_POOL_SIZES]; /* whoever took `taken` may take these */
    _Atomic(struct swi_record *) returned[SWI_POOL_SIZES];
    char *reserve; /* memory for records that is the system's until it is touched; may be NULL */
    size_t reserve_left;
};

void swi_pool_init(struct swi_pool *pool);
/* Has memory for records ready, so that none has to be asked for while the loop runs. */
void swi_pool_reserve(struct swi_pool *pool);
/* Every record must have come back. */
void swi_pool_fini(struct swi_pool *pool);

/* A zeroed record with one reference and room for `metrics` metrics; record.metrics.item points at
 * them. NULL without memory. */
struct swi_record *swi_record_new(struct swi_pool *pool, enum sw_record_type type, size_t metrics);

/* Whether losing one of them loses no more than a few points of a curve. */
#define SWI_DROPPABLE                                                                              \
    (SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_REGIONS) |           \
     SW_WANT(SW_RECORD_SPAN))

static inline bool swi_record_is_droppable(const struct swi_record *record)
{
    return SW_WANT(record->record.type) & SWI_DROPPABLE;
}

/* How many metrics, steps, or begins and ends of regions or spans are in a droppable record. */
int64_t swi_record_holds(const struct swi_record *record);

void swi_record_ref(struct swi_record *record);
void swi_record_unref(struct swi_record *record);

#endif
