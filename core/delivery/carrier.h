/* SPDX-License-Identifier: MIT */
/* carrier.h - what the program's threads leave for the sinks, and the thread that carries it to
 * their queues.
 *
 * The loop's thread only puts a record into a list: no lock, no system call, nobody is woken. The
 * carrier looks by time: every SWI_LOOK_MOST_NS while records come, more often the faster they
 * come, and ever more rarely, down to SWI_LOOK_IDLE_NS, while none do. Of what comes after a pause
 * it gives the queues as much as the sinks keep up with, so that a queue loses no more than if it
 * were filled at once. */
#ifndef CORE_DELIVERY_CARRIER_H
#define CORE_DELIVERY_CARRIER_H

#include "core/delivery/record.h"

#include <pthread.h>
#include <stdint.h>

#define SWI_LOOK_LEAST_NS INT64_C(1000000)
#define SWI_LOOK_MOST_NS INT64_C(100000000)
#define SWI_LOOK_IDLE_NS INT64_C(250000000)

/* So much memory may be left for the carrier; when half of it is, it is woken. */
#define SWI_LEFT_BYTES ((size_t)16 << 20)

struct swi_worker;
struct swi_deadline;

/* Puts regions that nobody put yet. */
typedef void swi_fetch_fn(void *arg);

struct swi_carrier {
    /* Of all threads. */
    _Atomic(struct swi_record *) newest; /* a list, the newest first */
    atomic_size_t bytes;                 /* of its records, and of those on the way */
    atomic_int sleeping;                 /* 1: until it is woken or its time has come */
    atomic_bool stopping;
    atomic_llong dropped[SW_RECORD_TYPES]; /* for all sinks, and not counted by them yet */
    atomic_llong lost[SW_RECORD_TYPES];    /* what they held */
    atomic_bool any_dropped;
    _Atomic(swi_fetch_fn *) fetch;
    void *fetch_arg;

    struct swi_worker *const *worker;
    size_t count;
    pthread_t thread;
    bool started;
    int64_t look_ns; /* until the next look */

    pthread_mutex_t lock;            /* of whoever carries; for what follows */
    struct swi_record *first, *last; /* on the way: out of the list and in no queue yet */
};

/* For these workers, whose queues are made. */
void swi_carrier_init(struct swi_carrier *carrier, struct swi_worker *const *worker, size_t count);
/* Gives back what was put after the end. */
void swi_carrier_fini(struct swi_carrier *carrier);

/* Starts the thread. Returns 0, or why there is none (errno). */
int swi_carrier_start(struct swi_carrier *carrier);
/* Ends the thread. It may have crashed: not for longer than the deadline. */
void swi_carrier_stop(struct swi_carrier *carrier, const struct swi_deadline *deadline);

/* Takes over a reference. Any thread; never waits for a sink. A record that may be dropped is, and
 * is counted, when the list is full and the carrier does not come. */
void swi_carrier_put(struct swi_carrier *carrier, struct swi_record *record);

/* Calls `fetch`, if it is set and some sink wants regions. The carrier does each time it looks. */
void swi_carrier_fetch(struct swi_carrier *carrier);

/* Carries all that was put to the queues at once; false: another thread was at it until the
 * deadline. */
bool swi_carrier_carry(struct swi_carrier *carrier, const struct swi_deadline *deadline);

#endif
