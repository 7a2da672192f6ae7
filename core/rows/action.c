/* SPDX-License-Identifier: MIT */
/* Names are added under a lock and never removed, so that finding one needs no lock. */
#include "core/rows/action.h"
#include "core/counters/counted_memory.h"
#include "core/rows/shaped_actions.h"
#include "core/process/child.h"
#include "core/process/thread_checker.h"
#include "core/text/hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 32768 };

static const char *const builtin[SWI_ACTION_FIRST] = {
    [SW_FIT] = "fit",           [SW_EPOCH] = "epoch",         [SW_TRAIN] = "train",
    [SW_VALID] = "valid",       [SW_STEP] = "step",           [SW_DRAW] = "draw",
    [SW_BATCH] = "batch",       [SW_FORWARD] = "forward",     [SW_LOSS] = "loss",
    [SW_BACKWARD] = "backward", [SW_OPT_STEP] = "opt_step",   [SW_ZERO_GRAD] = "zero_grad",
    [SW_PREDICT] = "predict",   [SWI_ACTION_OTHER] = "other",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(char *) own[SWI_ACTIONS_OWN];
static int own_count;
static _Atomic uint16_t slot[SLOTS]; /* hash table of indexes into own, plus one; 0 is free */

static uint32_t hash(const char *name)
{
    size_t length;
    return swi_hash(name, SIZE_MAX, &length);
}

static int builtin_find(const char *name)
{
    for (int i = 0; i < SWI_ACTION_FIRST; i++)
        if (builtin[i] && *builtin[i] == *name && strcmp(builtin[i], name) == 0)
            return i;
    return -1;
}

static int own_add(const char *name, _Atomic uint16_t *free_slot)
{
    SWI_OWN_MEMORY;
    char *copy = own_count < SWI_ACTIONS_OWN ? strdup(name) : NULL;
    if (!copy)
        return SWI_ACTION_OTHER;
    swi_handed_over(copy);
    atomic_store_explicit(&own[own_count], copy, memory_order_release);
    atomic_store_explicit(free_slot, (uint16_t)++own_count, memory_order_release);
    return SWI_ACTION_FIRST + own_count - 1;
}

/* Returns the handle of a name, or -1 and sets *free_slot to its place. */
static int own_find(const char *name, _Atomic uint16_t **free_slot)
{
    for (uint32_t i = hash(name) % SLOTS;; i = (i + 1) % SLOTS) {
        int number = atomic_load_explicit(&slot[i], memory_order_acquire);
        *free_slot = &slot[i];
        if (!number)
            return -1;
        swi_taken_over(own[number - 1]);
        if (strcmp(own[number - 1], name) == 0)
            return SWI_ACTION_FIRST + number - 1;
    }
}

/* In a child by _Fork(), another thread of the parent may have held the lock, which is never
 * released. */
static int own_get(const char *name)
{
    _Atomic uint16_t *free_slot;
    int action = own_find(name, &free_slot);
    if (action >= 0)
        return action;
    if (swi_is_copy())
        return SWI_ACTION_OTHER;
    pthread_mutex_lock(&lock);
    action = own_find(name, &free_slot);
    if (action < 0)
        action = own_add(name, free_slot);
    pthread_mutex_unlock(&lock);
    return action;
}

void swi_action_child(void)
{
    pthread_mutex_init(&lock, NULL);
    swi_shaped_child();
}

int sw_action(const char *name)
{
    char room[SWI_NAME_MAX + 1];
    if (!name)
        return SWI_ACTION_OTHER;
    name = swi_name_shorten(name, SWI_NAME_MAX, room);
    int action = builtin_find(name);
    return action >= 0 ? action : own_get(name);
}

const char *sw_action_name(int action)
{
    const char *name = NULL;
    if (action >= 0)
        action = swi_action_base(action);
    if (action >= 0 && action < SWI_ACTION_FIRST)
        name = builtin[action];
    else if (action >= SWI_ACTION_FIRST && action < SWI_SHAPED_FIRST)
        name = atomic_load_explicit(&own[action - SWI_ACTION_FIRST], memory_order_acquire);
    swi_taken_over(name);
    return name ? name : "other";
}
