/* SPDX-License-Identifier: MIT */
/* queue.h - the queue between the carrier (carrier.h) and one sink's worker.
 *
 * The lock is held for some microseconds only: records come in by the list, the worker takes them
 * out in one go and calls the sink without it. Pushing wakes the worker. */
#ifndef CORE_DELIVERY_QUEUE_H
#define CORE_DELIVERY_QUEUE_H

#include "core/delivery/record.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* So much memory may wait in each of the two rings of a queue, and be taken out of it in one go:
 * whatever a sink does, it costs no more. */
#define SWI_RING_BYTES ((size_t)16 << 20)
#define SWI_TAKE_BYTES ((size_t)4 << 20)

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

/* Two rings, so that dropping the oldest record that may be dropped is one step whatever waits
 * before it.
 *
 * Where the second has its bytes, a sink has hung for hundreds of epochs: hyper-parameters, reports
 * of epochs, notes, marks and pauses that come then are dropped and counted, a begin together with
 * its end and with all that is marked between; of reports of fits the newest stays. */
struct swi_queue {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct swi_ring droppable; /* metrics, steps, regions, spans: never more than its capacity */
    struct swi_ring certain;   /* all others: grows, up to its bytes */
    int marks_skipped;         /* begins that were dropped and have not ended yet */
    bool pause_skipped;        /* the same of a pause */
    size_t epoch_bytes;        /* of the last report of an epoch that came */
    atomic_bool refuses_epoch; /* such a one would be dropped */
    atomic_llong epochs_unmade;
    enum sw_queue_policy policy;
    bool urgent; /* look now */
    bool closing;
    bool sealed; /* the last record has come in: what another thread still had in hand is dropped */
    uint64_t pushed; /* records that came in, dropped ones included */
    int64_t dropped[SW_RECORD_TYPES];
    struct sw_lost lost; /* what was in those that were dropped, until the worker takes it */
    uint64_t lost_at;    /* number of the first of them */
};

/* What swi_queue_take() took. */
struct swi_taken {
    size_t count;        /* of records */
    uint64_t number;     /* records that came in before the oldest that is left */
    bool closing;        /* swi_queue_close() was called and nothing is left */
    struct sw_lost lost; /* so much was dropped; all 0: nothing, or nothing that is due */
    size_t lost_before;  /* index of the record that it came before */
};

/* Room for `capacity` records that may be dropped. 0 or SW_ENOMEM. */
int swi_queue_init(struct swi_queue *queue, size_t capacity, enum sw_queue_policy policy);
/* Gives the references of what is left back. */
void swi_queue_fini(struct swi_queue *queue);

/* Pushes the records of a list (linked by `next`) whose kinds are wanted (SW_WANT bits), and takes
 * a reference to each. If the queue is full, a droppable record is dropped by the policy, and
 * counted. The worker takes none of them before the last one is in. */
void swi_queue_push_list(struct swi_queue *queue, struct swi_record *first, uint32_t wants);

/* Counts records that were dropped before they came to the queue; lost: what they held. */
void swi_queue_count_dropped(struct swi_queue *queue, enum sw_record_type type, int64_t count,
                             int64_t lost);

/* Whether half of what may wait and be dropped is waiting. */
bool swi_queue_is_half_full(struct swi_queue *queue);

/* Whether a report of an epoch would be dropped, so that it need not be made at all; and counts one
 * that was not made. Neither takes the lock. */
bool swi_queue_refuses_epoch(struct swi_queue *queue);
void swi_queue_count_epoch(struct swi_queue *queue);

/* Waits for a record, or for a call of swi_queue_wake() or swi_queue_close(); at most max_ns. */
void swi_queue_wait(struct swi_queue *queue, int64_t max_ns);

/* Takes up to `room` records out, in order of arrival. Does not wait. */
struct swi_taken swi_queue_take(struct swi_queue *queue, struct swi_record **records, size_t room);

/* Makes the worker look now. Returns how many records came in so far. */
uint64_t swi_queue_wake(struct swi_queue *queue);

/* Asks the worker to deliver all and finish. */
void swi_queue_close(struct swi_queue *queue);

/* How many came in, and how many of each kind were dropped. */
int64_t swi_queue_count(struct swi_queue *queue, int64_t dropped[SW_RECORD_TYPES]);

#endif
