/* SPDX-License-Identifier: MIT */
/* carrier.h - a list of new records, and the thread that moves them to the queues of the sinks.
 *
 * The loop's thread only appends to the list: it takes no lock, makes no system call and wakes no
 * thread. The carrier looks at the list at intervals: SWI_LOOK_MOST_NS at most, shorter while
 * records arrive fast. When many records arrive at once after a pause, it moves only as many as the
 * sinks keep up with, so that a queue does not overflow because of the carrier. */
#ifndef CORE_DELIVERY_CARRIER_H
#define CORE_DELIVERY_CARRIER_H

#include "core/delivery/record.h"

#include <pthread.h>
#include <stdint.h>

#define SWI_LOOK_LEAST_NS INT64_C(1000000)
#define SWI_LOOK_MOST_NS INT64_C(250000000)

/* The most memory that the list may take. At half of it, the carrier is woken. */
#define SWI_LEFT_BYTES ((size_t)16 << 20)

struct swi_budget;
struct swi_worker;
struct swi_deadline;

/* Looks at the loop: appends the regions that are complete but not in the list yet, and notes what
 * the loop's thread would need a system call for. */
typedef void swi_fetch_fn(void *arg);

/* Makes the oldest report that waits if many do. Returns whether it has made one. */
typedef bool swi_relieve_fn(void *arg);

struct swi_carrier {
    /* Written by all threads. */
    _Atomic(struct swi_record *) newest; /* the list, the newest record first */
    atomic_size_t bytes;                 /* of the records in the list and on the way */
    atomic_int sleeping;                 /* 1: until it is woken or the interval is over */
    atomic_bool stopping;
    atomic_llong dropped[SW_RECORD_TYPES]; /* records that no queue has counted yet */
    atomic_llong lost[SW_RECORD_TYPES];    /* how many items these held */
    atomic_bool any_dropped;
    _Atomic(swi_fetch_fn *) fetch;
    swi_relieve_fn *relieve;
    void *fetch_arg;                     /* of both */
    _Atomic(struct swi_budget *) budget; /* of values; NULL: there are none */

    struct swi_worker *const *worker;
    size_t count;
    pthread_t thread;
    bool started;
    _Atomic int64_t look_ns; /* the present interval; changed by the carrier's thread alone */

    pthread_mutex_t lock;            /* held while records are moved; protects the rest */
    struct swi_record *first, *last; /* on the way: no longer in the list, not yet in a queue */
};

/* The queues of the workers must exist. */
void swi_carrier_init(struct swi_carrier *carrier, struct swi_worker *const *worker, size_t count);
/* Releases records that were put after the end. */
void swi_carrier_fini(struct swi_carrier *carrier);

/* Starts the thread. Returns 0 or an errno. */
int swi_carrier_start(struct swi_carrier *carrier);
/* Ends the thread. Waits until the deadline at most, because the thread may have crashed. */
bool swi_carrier_stop(struct swi_carrier *carrier, const struct swi_deadline *deadline);

/* Takes over the caller's reference. Any thread may call it; it never waits for a sink. If the list
 * is full, because the carrier does not come, a record that may be dropped is dropped and counted;
 * all others have as much room again. */
void swi_carrier_put(struct swi_carrier *carrier, struct swi_record *record);

/* Calls `fetch` if it is set and a sink wants regions or findings. The carrier does so each time it
 * looks, and while it waits for sinks; then it also calls `relieve`. */
void swi_carrier_fetch(struct swi_carrier *carrier);

/* Wakes the carrier if it would not look soon. */
void swi_carrier_hurry(struct swi_carrier *carrier);

/* Moves all records to the queues now. Returns false if another thread was doing so until the
 * deadline. */
bool swi_carrier_carry(struct swi_carrier *carrier, const struct swi_deadline *deadline);

#endif
