/* SPDX-License-Identifier: MIT */
/* queue.h - the queue between the dispatcher (dispatcher.h) and one sink's worker.
 *
 * The lock is held only for some microseconds: whole lists of records are pushed and taken out, and
 * the sink is called without the lock. Pushing wakes the worker. */
#ifndef CORE_DELIVERY_QUEUE_H
#define CORE_DELIVERY_QUEUE_H

#include "core/delivery/record.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The most memory that may wait in each of the two rings of a queue, and that is taken out at once.
 * A sink never costs more, whatever it does. */
#define SWI_RING_BYTES ((size_t)16 << 20)
#define SWI_TAKE_BYTES ((size_t)4 << 20)

/* After so many bytes of values it takes no more: what the worker of a sink that hangs has taken
 * cannot be dropped. */
#define SWI_TAKE_VALUE_BYTES ((size_t)64 << 10)

/* A record and its place in the order of arrival. */
struct swi_waiting {
    uint64_t number;
    struct swi_record *record;
};

struct swi_ring {
    struct swi_waiting *item;
    size_t capacity;
    size_t head; /* the oldest */
    size_t count;
    size_t bytes; /* of its records */
};

/* Values and lines that may wait. */
enum { SWI_VALUES_WAITING = 1024 };

/* There are several rings, so that the oldest record that may be dropped is found at once, whatever
 * waits before it.
 *
 * If the second ring is full, the sink has hung for hundreds of epochs. From then on hyper-
 * parameters, reports of epochs, notes, marks and pauses are dropped and counted: a begin together
 * with its end and everything between. Of the reports of fits, the newest one is kept. */
struct swi_queue {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct swi_ring droppable; /* metrics, steps, regions, spans: never more than its capacity */
    struct swi_ring values;    /* values and lines, made for the first: what waits stays, as core's
                                  budget does not count in records */
    uint32_t value_kinds;      /* SW_WANT_VALUE bits; of the sink, whatever it wants */
    uint64_t values_taken;     /* by the worker */
    struct swi_ring certain;   /* all others: grows up to SWI_RING_BYTES */
    int marks_skipped;         /* begins that were dropped and have not ended yet */
    bool pause_skipped;        /* the begin of a pause was dropped, and its end has not come */
    size_t epoch_bytes;        /* size of the last report of an epoch */
    atomic_bool refuses_epoch; /* the next report of an epoch would be dropped */
    atomic_llong epochs_unmade;
    enum sw_queue_policy policy;
    bool urgent; /* the worker must look now */
    bool closing;
    bool sealed;     /* the last record is in: a record that another thread pushes is dropped */
    uint64_t pushed; /* records that were pushed, including those that were dropped */
    int64_t dropped[SW_RECORD_TYPES];
    struct sw_lost lost; /* what the dropped records held, until the worker takes it */
    uint64_t lost_at;    /* number of the first dropped record */
};

/* What swi_queue_take() took. */
struct swi_taken {
    size_t count;        /* of records */
    uint64_t number;     /* how many were pushed before the oldest record that is left */
    bool closing;        /* swi_queue_close() was called and nothing is left */
    struct sw_lost lost; /* what was dropped; all 0 if nothing is to be reported now */
    size_t lost_before;  /* index of the record before which it was dropped */
};

/* capacity: of the ring of records that may be dropped. Returns 0 or SW_ENOMEM. */
int swi_queue_init(struct swi_queue *queue, size_t capacity, enum sw_queue_policy policy);
/* Releases the records that are left. */
void swi_queue_fini(struct swi_queue *queue);

/* Pushes the records of a list (linked by `next`) whose kinds are wanted (SW_WANT bits), and takes
 * a reference to each. If the queue is full, a record is dropped by the policy and counted. The
 * worker does not take any of them before the last one is in. */
void swi_queue_push_list(struct swi_queue *queue, struct swi_record *first, uint32_t wants);

/* Counts records that were dropped before they reached the queue. lost: the number of their items.
 */
void swi_queue_count_dropped(struct swi_queue *queue, enum sw_record_type type, int64_t count,
                             int64_t lost);

/* How many values and lines wait. taken: set to how many the worker has taken so far. */
size_t swi_queue_values(struct swi_queue *queue, uint64_t *taken);
/* Drops and counts the values and lines that wait, for a sink that hangs. */
void swi_queue_drop_values(struct swi_queue *queue);

/* Returns whether the ring of records that may be dropped is half full. */
bool swi_queue_is_half_full(struct swi_queue *queue);

/* The first returns whether a report of an epoch would be dropped and need not be made; the second
 * counts one that was not made. Neither takes the lock. */
bool swi_queue_refuses_epoch(struct swi_queue *queue);
void swi_queue_count_epoch(struct swi_queue *queue);

/* Waits for a record, swi_queue_wake() or swi_queue_close(), for at most max_ns. */
void swi_queue_wait(struct swi_queue *queue, int64_t max_ns);

/* The same for a worker that takes no records yet: waits for swi_queue_wake() or swi_queue_close().
 * Returns whether the queue is closed. */
bool swi_queue_idle(struct swi_queue *queue, int64_t max_ns);

/* Takes out up to `room` records, in order of arrival. Does not wait. */
struct swi_taken swi_queue_take(struct swi_queue *queue, struct swi_record **records, size_t room);

/* Makes the worker look now. Returns how many records were pushed so far. */
uint64_t swi_queue_wake(struct swi_queue *queue);

/* Asks the worker to deliver everything and finish. */
void swi_queue_close(struct swi_queue *queue);

/* Returns how many records were pushed. dropped: set to how many of each kind were dropped. */
int64_t swi_queue_count(struct swi_queue *queue, int64_t dropped[SW_RECORD_TYPES]);

#endif
