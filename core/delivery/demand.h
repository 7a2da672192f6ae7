/* SPDX-License-Identifier: MIT */
/* demand.h - what the sinks of a profiler ask of its loop: kinds of records, and to stop. Any
 * thread may call these functions. */
#ifndef CORE_DELIVERY_DEMAND_H
#define CORE_DELIVERY_DEMAND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swi_worker;

/* Called by the thread of a sink after a change of what all sinks together want. changed: the kinds
 * that are wanted now and were not before, and the reverse. */
typedef void swi_demand_changed_fn(void *arg, uint32_t changed);

struct swi_demand {
    struct swi_worker **worker; /* borrowed; changes only before the threads start */
    size_t count;
    atomic_uint value_kinds; /* the same of values, as SW_WANT_VALUE bits */
    atomic_uint wants;       /* what any worker or core wants, as SW_WANT bits */
    atomic_bool stopped;
    uint32_t core;        /* what core itself wants; under the lock */
    pthread_mutex_t lock; /* to change wants; held while threads are started */
    bool cancelled;       /* some thread could not be started, so none begins */
    _Atomic(swi_demand_changed_fn *) tell;
    void *tell_arg;
};

void swi_demand_init(struct swi_demand *demand, struct swi_worker **worker);
void swi_demand_fini(struct swi_demand *demand);

/* Called before and after all threads are started. hold adds up what the sinks want. No thread
 * begins its work before the release, or at all if not all were started. */
void swi_demand_hold(struct swi_demand *demand);
void swi_demand_release(struct swi_demand *demand, bool all_started);

/* Called by a thread that was started: waits for the release. If it returns false, the thread must
 * end. */
bool swi_demand_may_begin(struct swi_demand *demand);

/* Sets the kinds of records that the sink of a worker gets from now on. Kinds that its descriptor
 * does not name are ignored. */
void swi_demand_set(struct swi_demand *demand, struct swi_worker *worker, uint32_t wants);
/* Sets the kinds of records that core itself wants. */
void swi_demand_set_core(struct swi_demand *demand, uint32_t wants);
/* Sets the function that is called after such a change; there is none by default. */
void swi_demand_tell(struct swi_demand *demand, swi_demand_changed_fn *tell, void *arg);
static inline uint32_t swi_demand_wants(const struct swi_demand *demand)
{
    return atomic_load_explicit(&demand->wants, memory_order_relaxed);
}

static inline uint32_t swi_demand_value_kinds(const struct swi_demand *demand)
{
    return atomic_load_explicit(&demand->value_kinds, memory_order_relaxed);
}

/* Asks the program to stop the run. */
void swi_demand_stop(struct swi_demand *demand);
static inline bool swi_demand_stopped(const struct swi_demand *demand)
{
    return atomic_load_explicit(&demand->stopped, memory_order_relaxed);
}

#endif
