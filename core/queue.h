/* SPDX-License-Identifier: MIT */
/* queue.h - the bounded queue between the loop and one sink's worker.
 *
 * Pushing takes a lock that is held for some nanoseconds only: the worker takes records out in one
 * go and calls the sink without it. The worker looks by itself every SWI_POLL_NS; it is woken for
 * what must not wait. */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "core/record.h"

#include <stdbool.h>
#include <stdint.h>

#define SWI_POLL_NS INT64_C(50000000)

struct swi_queue {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct swi_record **ring;
    size_t capacity;
    size_t head; /* the oldest */
    size_t count;
    enum sw_queue_policy policy;
    struct swi_waiting *overflow; /* records that must arrive, behind a full ring; oldest first */
    struct swi_waiting **overflow_end;
    bool urgent; /* look now */
    bool closing;
    bool flush;      /* swi_queue_flush() waits */
    uint64_t pushed; /* records that came in */
    uint64_t taken;  /* records that the worker took out, or that were dropped */
    int64_t dropped[SW_RECORD_TYPES];
};

/* Room for `capacity` records. 0 or SW_ENOMEM. */
int swi_queue_init(struct swi_queue *queue, size_t capacity, enum sw_queue_policy policy);
/* Gives the references of what is left back. */
void swi_queue_fini(struct swi_queue *queue);

/* Puts a reference in. Where the queue is full, a droppable record is dropped and counted, by the
 * policy. */
void swi_queue_push(struct swi_queue *queue, struct swi_record *record);

/* Takes up to `room` records out, oldest first; waits at most SWI_POLL_NS when there is none.
 * Returns how many. closing and flush tell what is asked of the worker once nothing is left. */
size_t swi_queue_take(struct swi_queue *queue, struct swi_record **records, size_t room,
                      bool *closing, bool *flush);

/* Asks the worker to deliver all and finish; or to deliver all and flush. */
void swi_queue_close(struct swi_queue *queue);
void swi_queue_flush(struct swi_queue *queue);

/* Records that were dropped, of all kinds. */
int64_t swi_queue_dropped(struct swi_queue *queue);

/* Records that are still in it. */
size_t swi_queue_waiting(struct swi_queue *queue);

#endif
