/* SPDX-License-Identifier: MIT */
/* thread_state.h - what a thread has of its own: its open calls, and where it is in its tree.
 * Written by that thread alone, also in signal handlers. */
#ifndef PROBES_FUNCTIONS_THREAD_STATE_H
#define PROBES_FUNCTIONS_THREAD_STATE_H

#include "core/clock/now.h"
#include "probes/functions/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The counter that the hooks read. */
static inline int64_t fn_now(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    int64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return swi_now_ns();
#endif
}

#define FN_LIKELY(x) __builtin_expect(!!(x), 1)
#define FN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FN_INLINE inline __attribute__((always_inline))
#define FN_NOINLINE __attribute__((noinline, cold))
#define FN_HIDDEN __attribute__((visibility("hidden")))

enum {
    FN_DEPTH = 1 << 21, /* open calls of a thread: address space, used only as far as they go */
    FN_CACHE_BITS = 10,
    FN_CACHE = 1 << FN_CACHE_BITS,
    FN_RECENT_BITS = 10,
    FN_RECENT = 1 << FN_RECENT_BITS,
    FN_CHAINS_BITS = 14,
    FN_CHAINS = 1 << FN_CHAINS_BITS,
    FN_JUMPS_BITS = 14,
    FN_JUMPS = 1 << FN_JUMPS_BITS,
    FN_NO_REGION = -1
};

/* An open call. */
struct fn_call {
    struct fn_node *node;  /* in the region that it was entered in */
    struct fn_node *place; /* in the region that it was in last: where its time passes. Set only
                              up to the floor */
    uintptr_t stack;       /* the hook's caller had this stack pointer */
};

/* Beside each open call, used beyond FN_NODES alone. */
struct fn_entered {
    struct fn_node *from; /* the caller's node, if that has a place in the tree; else NULL */
    int64_t at;           /* time that the region had had */
};

struct fn_jump {
    const void *buffer;
    uint32_t depth;
};

/* Why hooks take the slow way. */
enum { FN_BUSY = 1, FN_CAPPED = 2, FN_OUT = 4, FN_STOPPED = 8, FN_VFORKED = 16 };

/* Which way the hooks take: one comparison is enough for the fastest. */
enum fn_way { FN_WAY_SLOW, FN_WAY_COUNT, FN_WAY_CLOCK };

struct fn_own {
    /* Read by every hook. In a child of _Fork() or clone() all of this is 0: the kernel clears it.
     */
    _Atomic uint8_t way; /* enum fn_way; FN_WAY_SLOW if there is a `slow` reason */
    atomic_bool clock;   /* hooks read the counter */
    _Atomic uint8_t slow;
    int32_t region;
    struct fn_node *_Atomic cur;  /* where time passes */
    struct fn_node *_Atomic next; /* the child that is expected to be called next; node 0: none.
                                     After a signal it may be the child of another node */
    struct fn_call *_Atomic top;
    struct fn_call *floor; /* it and the calls below it may have been entered in other regions */
    struct fn_node *left;  /* of the call that ended last */
    int64_t last;          /* tick until which all time is in some node */

    struct fn_thread *part; /* of the file */
    struct fn_node *nodes;
    struct fn_sums *sums;
    struct fn_call *calls; /* the first is none: its node is the root of the region */
    struct fn_call *limit;
    struct fn_entered *entered;
    uint32_t number;
    uint32_t filled; /* nodes whose pages are there */
    uint32_t more_filled;
    _Atomic int state; /* enum fn_slot */

    _Atomic int64_t sampled; /* periods, in ticks, that the sampling thread added in all */
    int64_t region_since;    /* of fn_own_clock() */

    timer_t timer;      /* cpu_samples.c */
    void *signal_stack; /* NULL: none was needed */
    atomic_bool has_timer;
    atomic_bool taken;         /* nodes.h */
    atomic_bool watched;       /* waiting.c */
    _Atomic int32_t innermost; /* action, as the thread's regions tell */
    _Atomic int64_t owed;      /* samples while it ran */
    struct fn_node *waited;    /* where it was when it waited last */
    int64_t used_ns;           /* CPU time that it had used then */
    uintptr_t low, bottom;     /* of the stack; 0: unknown */

    struct fn_levels *levels;          /* full_tree.c */
    struct fn_jump jumps[FN_JUMPS];    /* jumps.c */
    struct fn_node *cache[FN_CACHE];   /* by caller and function */
    struct fn_node *recent[FN_RECENT]; /* by what hooks know without a look at the tree */
    struct fn_node *chains[FN_CHAINS];
    struct fn_node *roots[FN_ACTIONS + 1]; /* by region + 1 */
    int64_t region_total[FN_ACTIONS + 1];  /* full_tree.c */
};

enum fn_slot { FN_SLOT_NONE, FN_SLOT_LIVE, FN_SLOT_FREE };

/* Initial-exec: one addition to the thread pointer, also in a library. */
extern FN_HIDDEN __attribute__((tls_model("initial-exec"))) _Thread_local struct fn_own *fn_self;

/* What fn_self is before the first call of a thread, and while nothing is counted. */
extern FN_HIDDEN struct fn_own fn_nobody;

/* All threads that ever were, by number. */
extern FN_HIDDEN struct fn_own *_Atomic fn_owns[FN_THREADS];

/* Calls act() with each thread that has a tree, also if the thread has ended. */
void fn_owns_each(void (*act)(struct fn_own *own, void *arg), void *arg);

/* Ticks of a pair of hooks in the time of a function, and of its caller. */
extern FN_HIDDEN double fn_hooks_inside, fn_hooks_outside;

/* Returns whether this is a child of the measured process that nobody told (_Fork(), clone()). */
static inline bool fn_own_is_copy(const struct fn_own *own)
{
    return own != &fn_nobody && !own->nodes;
}

/* Returns whether this is the state of a thread: what the signal of a timer came with. A thread
 * that joins fills its place later than one that took a higher number meanwhile. */
static inline bool fn_own_of_timer(const void *given)
{
    for (uint32_t i = 0; given && i < FN_THREADS; i++)
        if (atomic_load(&fn_owns[i]) == given)
            return true;
    return false;
}

/* Returns whether the caller is still a child of vfork(). Only for a thread that has called it
 * (FN_VFORKED); in the parent, it clears FN_VFORKED. */
bool fn_vfork_is_child(struct fn_own *own);

static inline void fn_own_slow(struct fn_own *own, uint8_t reason)
{
    own->slow |= reason;
    atomic_store_explicit(&own->way, FN_WAY_SLOW, memory_order_relaxed);
}

static inline void fn_own_no_longer(struct fn_own *own, uint8_t reason)
{
    own->slow &= (uint8_t)~reason;
    if (own->slow)
        return;
    uint8_t way = own->clock ? FN_WAY_CLOCK : FN_WAY_COUNT;
    atomic_store_explicit(&own->way, way, memory_order_relaxed);
}

/* Returns whether the calls of this thread are counted: it has joined, and this is neither a copy
 * of the process nor a child of vfork(). */
static inline bool fn_own_counts(struct fn_own *own)
{
    if (own == &fn_nobody || fn_own_is_copy(own))
        return false;
    return !(own->slow & FN_VFORKED) || !fn_vfork_is_child(own);
}

static inline struct fn_sums *fn_own_sums(const struct fn_own *own, const struct fn_node *node)
{
    return &own->sums[node - own->nodes];
}

static inline size_t fn_own_depth(const struct fn_own *own)
{
    return (size_t)(atomic_load_explicit(&own->top, memory_order_relaxed) - own->calls);
}

/* Ends the slice of time of a node, which is the current one. */
static FN_INLINE void fn_own_slice_of(struct fn_own *own, struct fn_node *cur, int64_t now)
{
    cur->self += now - own->last;
    own->last = now;
}

static inline void fn_own_slice(struct fn_own *own, int64_t now)
{
    fn_own_slice_of(own, own->cur, now);
}

/* Time passes at a node from now on. next: the child of it that is expected to be called. */
static FN_INLINE void fn_own_at(struct fn_own *own, struct fn_node *node, struct fn_node *next)
{
    atomic_store_explicit(&own->cur, node, memory_order_relaxed);
    atomic_store_explicit(&own->next, next, memory_order_relaxed);
}

static inline int64_t fn_own_clock(const struct fn_own *own)
{
    return own->clock ? own->last : own->sampled;
}

/* Its highest bits depend on all others. */
static inline uint32_t fn_tree_hash(const struct fn_node *parent, uintptr_t fn)
{
    return ((uint32_t)((uintptr_t)parent >> 6) + (uint32_t)fn) * UINT32_C(2654435761);
}

static inline uint32_t fn_cache_place(const struct fn_node *parent, uintptr_t fn)
{
    return fn_tree_hash(parent, fn) >> (32 - FN_CACHE_BITS);
}

/* Not an atomic access, with which compilers need one more instruction: the address of a function
 * changes only when its library is unmapped, and then it is not called. */
static FN_INLINE bool fn_node_is(const struct fn_node *node, uintptr_t fn)
{
    return *(const uint64_t *)&node->fn == fn;
}

/* Where the children of `parent` with this function are linked. */
static inline struct fn_node **fn_tree_chain(struct fn_own *own, const struct fn_node *parent,
                                             uintptr_t fn)
{
    return &own->chains[fn_tree_hash(parent, fn) >> (32 - FN_CHAINS_BITS)];
}

#endif
