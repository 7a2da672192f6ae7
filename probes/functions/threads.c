/* SPDX-License-Identifier: MIT */
#include "probes/functions/threads.h"
#include "probes/functions/call_context.h"
#include "probes/functions/held_signals.h"
#include "probes/functions/nodes.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* If address space is limited, for fewer. */
static bool calls_reserve(struct fn_own *own)
{
    enum { LEAST = 4096 };
    for (size_t depth = FN_DEPTH; depth >= LEAST; depth /= 8) {
        size_t calls = fn_pages(depth * sizeof *own->calls);
        char *map = fn_store_memory(NULL, calls + fn_pages(depth * sizeof *own->entered));
        if (!map)
            continue;
        own->calls = (struct fn_call *)map;
        own->entered = (struct fn_entered *)(map + calls);
        own->limit = own->calls + depth - 1;
        return true;
    }
    return false;
}

/* NULL without memory. */
static struct fn_own *own_new(uint32_t number)
{
    struct fn_own *own = fn_store_memory(NULL, fn_pages(sizeof *own));
    if (!own)
        return NULL;
    madvise(own, fn_pages(sizeof *own), MADV_WIPEONFORK);
    own->part = fn_store_thread(number);
    if (!own->part || !calls_reserve(own))
        return NULL;
    own->number = number;
    own->clock = fn_times() == FN_EXACT;
    own->sums = (struct fn_sums *)((char *)own->part + fn_sums_at());
    fn_store_need(own->part, sizeof *own->part);
    own->part->number = number;
    struct fn_node *nodes = (struct fn_node *)((char *)own->part + fn_nodes_at());
    own->part->base = (uintptr_t)nodes;
    own->nodes = nodes;
    fn_tree_init(own);
    return own;
}

static uint32_t cap = FN_THREADS;

/* Fewer, for tests. */
static void cap_choose(void)
{
    const char *threads = getenv("STEPWATCH_FUNCTIONS_THREADS");
    if (threads && atoi(threads) > 0 && atoi(threads) < FN_THREADS)
        cap = (uint32_t)atoi(threads);
}

/* Returns the tree of a thread that has ended, or a new one. */
static struct fn_own *own_take(void)
{
    uint32_t count = atomic_load(&fn_file->threads);
    for (uint32_t i = 0; i < count && i < FN_THREADS; i++) {
        struct fn_own *own = atomic_load(&fn_owns[i]);
        int is_free = FN_SLOT_FREE;
        if (own && atomic_compare_exchange_strong(&own->state, &is_free, FN_SLOT_LIVE))
            return own;
    }
    uint32_t number = atomic_fetch_add(&fn_file->threads, 1);
    struct fn_own *own = number < cap ? own_new(number) : NULL;
    if (own) {
        own->state = FN_SLOT_LIVE;
        atomic_store(&fn_owns[number], own);
    } else {
        count = number + 1; /* unless another thread has a higher number by now */
        atomic_compare_exchange_strong(&fn_file->threads, &count, number);
    }
    return own;
}

/* ---- the end of a thread ---- */

static pthread_key_t end_key;
static bool has_key;

/* Before the key exists, the tree of a thread cannot be reused. */
static void end_expect(struct fn_own *own)
{
    if (has_key)
        pthread_setspecific(end_key, own);
}

void fn_threads_end_key(void)
{
    cap_choose();
    has_key = pthread_key_create(&end_key, fn_own_leave) == 0;
    if (fn_self != &fn_nobody)
        end_expect(fn_self);
}

/* The child of vfork() runs in the memory of its parent. */
static bool is_measured(void)
{
    return fn_file && fn_file->pid == (uint32_t)getpid();
}

static struct fn_own *join(void)
{
    struct fn_own *own = fn_start() && is_measured() ? own_take() : NULL;
    if (!own)
        return NULL;
    own->part->tid = (uint32_t)gettid();
    own->part->live = 1;
    prctl(PR_GET_NAME, own->part->name);
    fn_tree_enter(own);
    own->last = fn_now();
    fn_own_no_longer(own, FN_BUSY | FN_OUT);
    return own;
}

bool fn_own_join(void)
{
    if (fn_start_hooks_idle())
        return false;
    int before = errno;
    uint64_t signals = fn_signals_hold();
    struct fn_own *own = fn_times() == FN_SAMPLE ? NULL : join();
    if (own) {
        fn_self = own;
        end_expect(own);
    }
    fn_signals_set(signals);
    errno = before;
    return own != NULL;
}

bool fn_own_is_missing(void)
{
    return fn_start_is_on() && fn_times() != FN_SAMPLE && is_measured();
}

struct fn_own *fn_own_join_sampled(void)
{
    int before = errno;
    struct fn_own *own = join();
    errno = before;
    return own;
}

void fn_own_leave(void *thread)
{
    struct fn_own *own = thread;
    if (fn_own_is_copy(own) || own->state != FN_SLOT_LIVE)
        return;
    fn_self = &fn_nobody;
    fn_own_slow(own, FN_OUT);
    if (own->clock)
        fn_own_slice(own, fn_now());
    fn_tree_leave(own);
    own->part->live = 0;
    atomic_store(&own->state, FN_SLOT_FREE);
}
