/* SPDX-License-Identifier: MIT */
/* Names and shapes are added under a lock and never removed, so that finding one needs no lock. An
 * action with a shape has its own handle, so a call costs no more than that of any action; code
 * that shows one asks for its action. */
#include "core/rows/action.h"
#include "core/counters/counted_memory.h"
#include "core/process/child.h"
#include "core/process/plugin_threads.h"
#include "core/text/map.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
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

/* ---- actions with the shape of their input --------------------------------------------------- */

enum { SHAPED_SLOTS = 4096 };

struct shaped {
    int action;
    char *shape;
};

static struct shaped shaped[SWI_SHAPED_MOST];
static atomic_int shaped_count;
static _Atomic uint16_t
    shaped_slot[SHAPED_SLOTS]; /* hash table of indexes into shaped, plus one; 0 is free */

static const struct shaped *known(int action)
{
    int i = action - SWI_SHAPED_FIRST;
    return i >= 0 && i < atomic_load_explicit(&shaped_count, memory_order_acquire) ? &shaped[i]
                                                                                   : NULL;
}

bool swi_shaped_any(void)
{
    return atomic_load_explicit(&shaped_count, memory_order_acquire) > 0;
}

int swi_shaped_base(int action)
{
    const struct shaped *of = known(action);
    return of ? of->action : SWI_ACTION_OTHER;
}

const char *sw_action_shape(int action)
{
    const struct shaped *of = known(action);
    if (of)
        swi_taken_over(of->shape);
    return of ? of->shape : "";
}

/* Returns the handle, or -1; then *free_slot is where it would be. */
static int shaped_find(int action, const char *shape, _Atomic uint16_t **free_slot)
{
    size_t length;
    uint32_t hash = swi_hash(shape, SIZE_MAX, &length) + (uint32_t)action * 2654435761u;
    for (uint32_t i = hash % SHAPED_SLOTS;; i = (i + 1) % SHAPED_SLOTS) {
        int number = atomic_load_explicit(&shaped_slot[i], memory_order_acquire);
        *free_slot = &shaped_slot[i];
        if (!number)
            return -1;
        const struct shaped *at = &shaped[number - 1];
        swi_taken_over(at->shape);
        if (at->action == action && strcmp(at->shape, shape) == 0)
            return SWI_SHAPED_FIRST + number - 1;
    }
}

/* Returns the action itself if the table is full. */
static int shaped_add(int action, const char *shape, _Atomic uint16_t *free_slot)
{
    int count = atomic_load_explicit(&shaped_count, memory_order_relaxed);
    char *copy = count < SWI_SHAPED_MOST ? strdup(shape) : NULL;
    if (!copy)
        return action;
    swi_handed_over(copy);
    shaped[count] = (struct shaped){action, copy};
    atomic_store_explicit(&shaped_count, count + 1, memory_order_release);
    atomic_store_explicit(free_slot, (uint16_t)(count + 1), memory_order_release);
    return SWI_SHAPED_FIRST + count;
}

/* In a child of _Fork(), a thread that exists only in the parent may hold the lock. */
static int shaped_get(int action, const char *shape)
{
    _Atomic uint16_t *free_slot;
    int handle = shaped_find(action, shape, &free_slot);
    if (handle >= 0)
        return handle;
    if (swi_is_copy())
        return action;
    pthread_mutex_lock(&lock);
    handle = shaped_find(action, shape, &free_slot);
    if (handle < 0)
        handle = shaped_add(action, shape, free_slot);
    pthread_mutex_unlock(&lock);
    return handle;
}

/* Actions without an input, and the row for unknown names, have no shapes. */
static bool has_shapes(int action)
{
    const uint32_t with =
        1u << SW_FORWARD | 1u << SW_LOSS | 1u << SW_BACKWARD | 1u << SW_OPT_STEP | 1u << SW_PREDICT;
    return action >= SWI_ACTION_FIRST || (action >= 0 && with >> action & 1);
}

int sw_action_shaped(int action, const char *shape)
{
    char room[SWI_SHAPE_MAX + 1];
    int base = action >= 0 && action < SWI_ACTIONS ? swi_action_base(action) : SWI_ACTION_OTHER;
    if (!shape || !*shape || !has_shapes(base))
        return base;
    return shaped_get(base, swi_name_shorten(shape, SWI_SHAPE_MAX, room));
}

/* ---- from numbers ---- */

struct shape_text {
    char text[SWI_SHAPE_MAX + 1];
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void shape_add(struct shape_text *to,
                                                            const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t room = sizeof to->text - to->size;
    int size = vsnprintf(to->text + to->size, room, format, args);
    to->size += size > 0 && (size_t)size < room ? (size_t)size : room - 1;
    va_end(args);
}

int sw_action_dims(int action, const struct sw_dims *input, size_t count)
{
    struct shape_text shape = {.size = 0};
    shape_add(&shape, "[");
    for (size_t i = 0; i < count; i++) {
        shape_add(&shape, i ? ", [" : "[");
        for (size_t k = 0; k < input[i].rank; k++)
            shape_add(&shape, "%s%" PRId64, k ? ", " : "", input[i].dim[k]);
        shape_add(&shape, "]");
    }
    shape_add(&shape, "]");
    return sw_action_shaped(action, shape.text);
}
