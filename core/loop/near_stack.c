/* SPDX-License-Identifier: MIT */
#include "core/loop/near_stack.h"

#include <sched.h>

#define SIMPLE_ONLY                                                                                \
    (SWI_BIT(SW_FORWARD) | SWI_BIT(SW_LOSS) | SWI_BIT(SW_BACKWARD) | SWI_BIT(SW_OPT_STEP) |        \
     SWI_BIT(SW_ZERO_GRAD) | SWI_BIT(SW_PREDICT))

uint64_t swi_actions_ignored(enum sw_mode mode)
{
    return SWI_BIT(SW_STEP) | (mode == SW_MODE_THROUGHPUT ? SIMPLE_ONLY : 0);
}

bool swi_is_shaped_ignored(const struct sw_profiler *sw, int action)
{
    return swi_is_ignored(sw, swi_action_base(action));
}

static uint16_t near_of(int action)
{
    return (uint16_t)(action |
                      (swi_is_container(action) || action == SW_BATCH ? SWI_NEAR_SPECIAL : 0));
}

static uint16_t *near_find(struct swi_thread *thread, int action)
{
    uint16_t *at = thread->top, is = near_of(action);
    while (at > thread->near && *at != is)
        at--;
    return at;
}

/* Only so many stay open. Returns whether a fit was open above them. */
static bool leave(struct swi_thread *thread, uint16_t *top)
{
    bool fit = false;
    for (; thread->top > top; thread->top--)
        fit |= *thread->top == near_of(SW_FIT);
    return fit;
}

/* A builtin action that begins again replaces the one that is open, as when it is folded; a
 * container replaces an open batch as well. */
static void replace(struct swi_thread *thread, int action)
{
    uint16_t *at = near_find(thread, action);
    if (at > thread->near)
        leave(thread, at - 1);
}

void swi_near_begin(struct swi_thread *thread, int action)
{
    if (action < SW_BUILTIN_ACTIONS)
        replace(thread, action);
    if (swi_is_container(action))
        replace(thread, SW_BATCH);
    if (swi_near_is_full(thread)) {
        thread->over++;
        return;
    }
    swi_near_push(thread, near_of(action));
}

bool swi_near_end(struct swi_thread *thread, int action)
{
    if (thread->over) {
        thread->over--;
        return false;
    }
    uint16_t *at = near_find(thread, action);
    if (at > thread->near && at == thread->top) {
        thread->top--;
        return action == SW_FIT;
    }
    if (at > thread->near)
        return leave(thread, at - 1);
    if (action == SW_FIT && thread->in_fit)
        swi_near_clear(thread);
    return action == SW_FIT;
}

void swi_near_clear(struct swi_thread *thread)
{
    thread->top = thread->near;
    thread->over = 0;
    thread->in_fit = false;
}

void swi_near_inside(struct swi_thread *thread, int action)
{
    uint16_t *at = near_find(thread, action);
    if (at > thread->near || (action == SW_FIT && thread->in_fit))
        leave(thread, at);
}

bool swi_near_is_open(const struct swi_thread *thread, int action)
{
    const uint16_t *at = thread->top;
    while (at > thread->near && *at != near_of(action))
        at--;
    return at > thread->near;
}

enum sw_phase swi_near_phase(const struct swi_thread *thread)
{
    enum sw_phase alone = thread->claimed ? SW_PHASE_FIT : SW_PHASE_THREADS;
    for (const uint16_t *at = thread->top; at > thread->near; at--) {
        if (*at == near_of(SW_VALID))
            return SW_PHASE_VALID;
        if (*at == near_of(SW_TRAIN))
            return SW_PHASE_TRAIN;
        if (*at == near_of(SW_BATCH) && thread->claimed)
            alone = SW_PHASE_TRAIN;
    }
    return alone;
}

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
