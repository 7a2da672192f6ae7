/* SPDX-License-Identifier: MIT */
#include "core/loop/near_stack.h"

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

/* A builtin action that begins again replaces the one that is open, as when it is folded; a
 * container replaces an open batch as well. */
static void replace(struct swi_thread *thread, int action)
{
    uint16_t *at = near_find(thread, action);
    if (at > thread->near)
        thread->top = at - 1;
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

void swi_near_end(struct swi_thread *thread, int action)
{
    if (thread->over) {
        thread->over--;
        return;
    }
    uint16_t *at = near_find(thread, action);
    if (at > thread->near)
        thread->top = at - 1;
}

void swi_near_inside(struct swi_thread *thread, int action)
{
    uint16_t *at = near_find(thread, action);
    if (at > thread->near)
        thread->top = at;
}

void swi_near_clear(struct swi_thread *thread)
{
    thread->top = thread->near;
    thread->over = 0;
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
