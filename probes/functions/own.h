/* SPDX-License-Identifier: MIT */
/* own.h - what a thread has of its own: its open calls, and where it is in its tree. Written by
 * that thread alone, also in signal handlers. */
#ifndef PROBES_FUNCTIONS_OWN_H
#define PROBES_FUNCTIONS_OWN_H

#include "probes/functions/format.h"
#include "probes/functions/ticks.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define FN_LIKELY(x) __builtin_expect(!!(x), 1)
#define FN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FN_INLINE inline __attribute__((always_inline))
#define FN_APART __attribute__((noinline, cold))
#define FN_HIDDEN __attribute__((visibility("hidden")))

enum {
    FN_DEPTH = 1 << 21, /* open calls of a thread: address space, used only as far as they go */
    FN_CACHE = 1024,
    FN_CHAINS = 1 << 14,
    FN_JUMPS = 256,
    FN_NO_REGION = -1,
    FN_NOT_CARRIED = -2
};

/* An open call. */
struct fn_call {
    struct fn_node *node;
    uintptr_t stack; /* the hook's caller had this stack pointer */
    void *site;
    int32_t region;         /* that it was entered in */
    int32_t carried_region; /* `carried` is its place there; FN_NOT_CARRIED: nowhere */
    struct fn_node *carried;
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
enum { FN_BUSY = 1, FN_CAPPED = 2, FN_OUT = 4, FN_STOPPED = 8 };

struct fn_own {
    /* Read by every hook. In a child of _Fork() or clone() all of this is 0: the kernel clears it.
     */
    bool fast;  /* no `slow` reason */
    bool clock; /* hooks read the counter */
    _Atomic uint8_t slow;
    int32_t region;
    struct fn_node *_Atomic cur;
    struct fn_call *top;
    struct fn_call *limit;
    int64_t last; /* tick until which all time is in some node */

    struct fn_thread *part; /* of the file */
    struct fn_node *nodes;
    struct fn_sums *sums;
    struct fn_call *calls; /* the first is none: its node is the root of the region */
    struct fn_entered *entered;
    uint32_t number;
    uint32_t filled; /* nodes whose pages are there */
    uint32_t more_filled;
    _Atomic int state; /* enum fn_slot */

    _Atomic int64_t sampled; /* periods, in ticks, that the sampling thread added in all */
    int64_t region_since;    /* of fn_own_clock() */

    timer_t timer; /* cpu_samples.c */
    atomic_bool has_timer;
    atomic_bool taken;         /* sampled_stacks.h */
    atomic_bool watched;       /* waiting.c */
    _Atomic int32_t innermost; /* action, as the thread's regions tell */
    _Atomic int64_t owed;      /* samples while it ran */
    struct fn_node *waited;    /* where it was when it waited last */
    int64_t used_ns;           /* CPU time that it had used then */
    uintptr_t low, bottom;     /* of the stack; 0: unknown */

    struct fn_levels *levels; /* beyond.c */
    struct fn_jump jumps[FN_JUMPS];
    uint32_t jump_next;
    struct fn_node *cache[FN_CACHE];
    struct fn_node *chains[FN_CHAINS];
    struct fn_node *roots[FN_ACTIONS + 1]; /* by region + 1 */
    int64_t region_total[FN_ACTIONS + 1];  /* beyond.c */
};

enum fn_slot { FN_SLOT_NONE, FN_SLOT_LIVE, FN_SLOT_FREE };

/* Initial-exec: one addition to the thread pointer, also in a library. */
extern FN_HIDDEN __attribute__((tls_model("initial-exec"))) _Thread_local struct fn_own *fn_self;

/* What fn_self is before the first call of a thread, and while nothing is counted. */
extern FN_HIDDEN struct fn_own fn_nobody;

/* All threads that ever were, by number. */
extern FN_HIDDEN struct fn_own *_Atomic fn_owns[FN_THREADS];

/* Ticks of a pair of hooks in the time of a function, and of its caller. */
extern FN_HIDDEN double fn_hooks_inside, fn_hooks_outside;

/* Whether this is a child of the measured process that nobody told (_Fork(), clone()). */
static inline bool fn_own_is_copy(const struct fn_own *own)
{
    return own != &fn_nobody && !own->nodes;
}

/* Whether this is the state of a thread: what the signal of a timer came with. */
static inline bool fn_own_of_timer(const void *given)
{
    for (uint32_t i = 0; i < FN_THREADS; i++) {
        const struct fn_own *own = atomic_load(&fn_owns[i]);
        if (!own || own == given)
            return own != NULL;
    }
    return false;
}

static inline void fn_own_slow(struct fn_own *own, uint8_t reason)
{
    own->slow |= reason;
    own->fast = false;
}

static inline void fn_own_no_longer(struct fn_own *own, uint8_t reason)
{
    own->slow &= (uint8_t)~reason;
    own->fast = !own->slow;
}

static inline struct fn_sums *fn_own_sums(const struct fn_own *own, const struct fn_node *node)
{
    return &own->sums[node - own->nodes];
}

static inline size_t fn_own_depth(const struct fn_own *own)
{
    return (size_t)(own->top - own->calls);
}

/* Ends the slice of time of the current node. */
static FN_INLINE void fn_own_slice(struct fn_own *own, int64_t now)
{
    own->cur->self += now - own->last;
    own->last = now;
}

static inline int64_t fn_own_clock(const struct fn_own *own)
{
    return own->clock ? own->last : own->sampled;
}

static inline uint32_t fn_tree_hash(const struct fn_node *parent, uintptr_t fn)
{
    return (uint32_t)((uintptr_t)parent >> 6) + (uint32_t)(fn >> 2) + (uint32_t)(fn >> 12);
}

/* Where the children of `parent` with this function are linked. */
static inline struct fn_node **fn_tree_chain(struct fn_own *own, const struct fn_node *parent,
                                             uintptr_t fn)
{
    return &own->chains[fn_tree_hash(parent, fn) % FN_CHAINS];
}

#endif
