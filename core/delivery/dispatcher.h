/* SPDX-License-Identifier: MIT */
/* dispatcher.h - a list of new records, and the thread that moves them to the queues of the sinks.
 *
 * Records are appended to the list without a lock, a system call or waking a thread. The dispatcher
 * looks at intervals: SWI_LOOK_MOST_NS at most, shorter while records arrive fast, or what the
 * threads of the loop note (core/loop/fold.h), which it makes records of. When many records arrive
 * at once after a pause, it moves only as many as the sinks keep up with, so that a queue does not
 * overflow because of the dispatcher. */
#ifndef CORE_DELIVERY_DISPATCHER_H
#define CORE_DELIVERY_DISPATCHER_H

#include "core/delivery/record.h"

#include <pthread.h>
#include <stdint.h>

#define SWI_LOOK_HASTE_NS INT64_C(200000)
#define SWI_LOOK_LEAST_NS INT64_C(1000000)
#define SWI_LOOK_MOST_NS INT64_C(250000000)

/* The most memory that the list may take. At half of it, the dispatcher is woken. */
#define SWI_LEFT_BYTES ((size_t)16 << 20)

struct swi_budget;
struct swi_worker;
struct swi_deadline;

/* Looks at the loop: folds some of what its threads noted, which makes records. Returns whether
 * there is more. */
typedef bool swi_fetch_fn(void *arg);

/* Returns the part of the memory for what threads note that is in use. */
typedef double swi_waiting_fn(void *arg);

struct swi_dispatcher {
    /* Written by all threads. */
    _Atomic(struct swi_record *) newest; /* the list, the newest record first */
    atomic_size_t bytes;                 /* of the records in the list and on the way */
    atomic_int sleeping;                 /* 1: until it is woken or the interval is over */
    atomic_bool stopping;
    atomic_llong dropped[SW_RECORD_TYPES]; /* records that no queue has counted yet */
    atomic_llong lost[SW_RECORD_TYPES];    /* how many items these held */
    atomic_bool any_dropped;
    _Atomic(swi_fetch_fn *) fetch;
    swi_waiting_fn *waiting;
    void *fetch_arg;                     /* of both */
    _Atomic(struct swi_budget *) budget; /* of values; NULL: there are none */

    struct swi_worker *const *worker;
    size_t count;
    pthread_t thread;
    bool started;
    _Atomic int64_t look_ns; /* the present interval; changed by the dispatcher's thread alone */

    pthread_mutex_t lock;            /* held while records are moved; protects the rest */
    struct swi_record *first, *last; /* on the way: no longer in the list, not yet in a queue */
};

/* The queues of the workers must exist. */
void swi_dispatcher_init(struct swi_dispatcher *dispatcher, struct swi_worker *const *worker,
                         size_t count);
/* Releases records that were put after the end. */
void swi_dispatcher_fini(struct swi_dispatcher *dispatcher);

/* Starts the thread. Returns 0 or an errno. */
int swi_dispatcher_start(struct swi_dispatcher *dispatcher);
/* Ends the thread. Waits until the deadline at most. Returns whether it does nothing any more. */
bool swi_dispatcher_stop(struct swi_dispatcher *dispatcher, const struct swi_deadline *deadline);

/* Takes over the caller's reference. Any thread may call it; it never waits for a sink. If the list
 * is full, because the dispatcher does not come, a record that may be dropped is dropped and
 * counted; all others have as much room again. */
void swi_dispatcher_put(struct swi_dispatcher *dispatcher, struct swi_record *record);

/* Calls `fetch` if it is set, and returns what it returns. The dispatcher does so each time it
 * looks, and while it waits for sinks.
 */
bool swi_dispatcher_fetch(struct swi_dispatcher *dispatcher);

/* Moves all records to the queues now. Returns false if another thread was doing so until the
 * deadline. */
bool swi_dispatcher_carry(struct swi_dispatcher *dispatcher, const struct swi_deadline *deadline);

#endif
