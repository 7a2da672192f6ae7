/* SPDX-License-Identifier: MIT */
#include "core/loop/innermost.h"

#include <sched.h>

/* More profilers than a program has at once. The regions of any others are not found. */
enum { PROFILERS = 64 };

static _Atomic(struct sw_profiler *) known[PROFILERS];

/* Number of handlers that are reading a profiler, which must not be freed meanwhile. */
static atomic_int looking;

/* The serial alone is not enough, because threads notice late that it has changed. */
static bool has_thread(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    const struct swi_thread *each = swi_first_thread(&sw->measured);
    while (each && each != thread)
        each = each->list;
    return each != NULL && !atomic_load(&sw->measured.dead);
}

/* -1: none is open, or the place is empty. */
static int innermost_in(const struct swi_known *place)
{
    int action = -1;
    if (!place->serial)
        return -1;
    atomic_signal_fence(memory_order_acquire);
    const struct swi_thread *thread = place->thread;
    atomic_fetch_add(&looking, 1);
    for (int i = 0; i < PROFILERS && thread; i++) {
        const struct sw_profiler *sw = atomic_load(&known[i]);
        if (sw && has_thread(sw, thread)) {
            action = swi_near_innermost(thread);
            break;
        }
    }
    atomic_fetch_sub(&looking, 1);
    return action;
}

/* Of several profilers, that of the one that the thread has found last comes first. */
int swi_innermost(void)
{
    int action = innermost_in(&swi_current.known[swi_current.newest]);
    for (int i = 0; i < SWI_KNOWN_PLACES && action < 0; i++)
        action = innermost_in(&swi_current.known[i]);
    return action;
}

void swi_innermost_know(struct sw_profiler *sw)
{
    for (int i = 0; i < PROFILERS; i++) {
        struct sw_profiler *none = NULL;
        if (atomic_compare_exchange_strong(&known[i], &none, sw))
            return;
    }
}

/* A handler takes only a moment. After a fork, the count may include a handler of another thread,
 * which does not exist in the child and never ends. */
void swi_innermost_forget(struct sw_profiler *sw)
{
    enum { PATIENCE = 10000 };
    for (int i = 0; i < PROFILERS; i++) {
        struct sw_profiler *own = sw;
        if (!atomic_compare_exchange_strong(&known[i], &own, NULL))
            continue;
        for (int k = 0; k < PATIENCE && atomic_load(&looking); k++)
            sched_yield();
        return;
    }
}
