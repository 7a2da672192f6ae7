/* SPDX-License-Identifier: MIT */
/* record.h - records: core makes each once, all queues share it, and the last one frees it. */
#ifndef CORE_DELIVERY_RECORD_H
#define CORE_DELIVERY_RECORD_H

#include <stepwatch/sink.h>

#include <stdatomic.h>
#include <stdbool.h>

/* How many metrics fit into a large and into a small record of the pool. Most records have few
 * metrics, and thousands of records may wait for a slow sink, so the pool has several sizes. */
#define SWI_POOL_METRICS 64
#define SWI_POOL_FEW 8

/* How many sizes the pool has; a larger record is allocated by itself. */
enum { SWI_POOL_SIZES = 6 };

struct swi_pool;
struct swi_slice;

/* A record and its memory. The public record is the first member, so a pointer to one is a pointer
 * to the other. */
struct swi_record {
    struct sw_record record;
    /* What the dispatcher and the queues need is in one line of the cache, up to `bytes`. */
    atomic_int references;
    uint8_t wanted;          /* swi_record_wanted(), known once the record is in the list */
    uint8_t size;            /* which size of the pool it has */
    bool reserved;           /* its memory is part of the pool's; false: it has its own block */
    size_t value_bytes;      /* of a value, which the budget of values counts (core/media) */
    struct swi_pool *pool;   /* to which it returns; NULL: it is freed by free() */
    struct swi_record *next; /* in a free list of the pool, or in a list on its way to the queues */
    size_t bytes;            /* its own memory, and what it owns as far as that was added */
    void *owned;
    void (*release)(void *owned);  /* frees that; or NULL */
    const struct swi_slice *slice; /* regions that are still events, or NULL */
    /* Does the part of the work that need not be done on the loop's thread; called before any sink
     * gets the record. Returns false if there is nothing to deliver. NULL: the record is complete.
     */
    bool (*finish)(struct swi_record *self);
    struct sw_metric metric[];
};

/* Lets the processor fetch a record that another one has used, before its turn. */
static inline void swi_record_fetch(const struct swi_record *record)
{
    enum { LINE = 64, LINES = (int)((sizeof *record + sizeof *record->metric) / LINE) + 1 };
#pragma GCC unroll 8
    for (int i = 0; i < LINES; i++)
        __builtin_prefetch((const char *)record + LINE * i);
}

/* Free records, by size. The loop's thread takes them, so there is no lock that another thread may
 * hold for long, and no system call. */
struct swi_pool {
    atomic_flag taken; /* held while a thread takes a record; another thread allocates its own */
    struct swi_record *ready[SWI_POOL_SIZES]; /* used only while `taken` is held */
    _Atomic(struct swi_record *) returned[SWI_POOL_SIZES];
    char *reserve; /* address space for records; takes no memory until it is used; may be NULL */
    size_t reserve_left;
};

void swi_pool_init(struct swi_pool *pool);
/* Reserves memory for records, so that none has to be allocated while the loop runs. */
void swi_pool_reserve(struct swi_pool *pool);
/* All records must have been returned. */
void swi_pool_fini(struct swi_pool *pool);

/* Returns a zeroed record with one reference and room for `metrics` metrics, to which
 * record.metrics.item points; NULL if out of memory. */
struct swi_record *swi_record_new(struct swi_pool *pool, enum sw_record_type type, size_t metrics);

/* The kinds of records whose loss costs no more than a few points of a curve. */
#define SWI_DROPPABLE                                                                              \
    (SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_REGIONS) |           \
     SW_WANT(SW_RECORD_SPAN))

/* Returns the kind of record (SW_RECORD_...) that a sink has to want to get this one. Samples of
 * monitors are metrics, but older sinks shall not get them. */
static inline uint8_t swi_record_wanted(const struct sw_record *record)
{
    bool sampled = record->type == SW_RECORD_METRICS && record->metrics.count &&
                   record->metrics.item->by == SW_BY_MONITOR;
    return (uint8_t)(sampled ? SW_RECORD_MONITOR : record->type);
}

static inline bool swi_record_is_droppable(const struct swi_record *record)
{
    return SW_WANT(record->wanted) & (SWI_DROPPABLE | SW_WANT(SW_RECORD_MONITOR));
}

/* Returns whether it is a value or a line: those are limited by a budget of their own. */
#define SWI_VALUES (SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_LINE))

static inline bool swi_record_is_value(const struct swi_record *record)
{
    return SW_WANT(record->wanted) & SWI_VALUES;
}

/* Returns how many metrics, steps, or begins and ends of regions or spans a record holds. */
int64_t swi_record_holds(const struct swi_record *record);

void swi_record_ref(struct swi_record *record);
void swi_record_unref(struct swi_record *record);

/* ---- what delivery must know about each kind of record: one line for each kind --------------- */

struct swi_record_kind {
    const char *plural; /* in the summary of what was dropped */
    bool
        drops_when_full; /* if the ring of records that should arrive is full; else it never does */
};

/* By enum sw_record_type. */
extern const struct swi_record_kind swi_record_kinds[];

#endif
