/* SPDX-License-Identifier: MIT */
/* Metric names, each copied once. Finding one takes no lock; adding one does. Beyond NAMES_MAX
 * names, each value gets its own copy, so that a program with a new name for each value does not
 * fill the memory. */
#include "core/process/plugin_threads.h"
#include "core/records/metric_record.h"
#include "core/rows/action.h"
#include "core/text/map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 16384, NAMES_MAX = 10000, NUMBERS_MAX = 32768 };

struct name {
    struct name *next;
    uint32_t hash;
    enum sw_value_kind kind; /* SWI_NUMBER: of a metric */
    uint16_t number;         /* for swi_metric_name_number() */
    atomic_llong own_step;   /* for swi_name_own_step() */
    atomic_uchar flags;      /* for swi_name_seen(): right before the text */
    char text[];
};
_Static_assert(offsetof(struct name, text) == offsetof(struct name, flags) + 1,
               "swi_name_seen() finds it by the text");

struct swi_names {
    pthread_mutex_t lock;
    atomic_int count;
    int values; /* of them, that are not of metrics; under the lock */
    _Atomic(struct name *) slot[SLOTS];
    _Atomic(struct name *) number[NUMBERS_MAX];
};

struct swi_names *swi_names_new(void)
{
    struct swi_names *names = calloc(1, sizeof *names);
    if (names)
        pthread_mutex_init(&names->lock, NULL);
    return names;
}

void swi_names_free(struct swi_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        for (struct name *name = names->slot[i], *next; name; name = next) {
            next = name->next;
            free(name);
        }
    pthread_mutex_destroy(&names->lock);
    free(names);
}

static struct name *find(struct name *name, uint32_t h, const char *text, size_t length)
{
    for (; name; name = name->next) {
        if (name->hash != h)
            continue;
        swi_taken_over(name);
        if (strncmp(name->text, text, length) == 0 && !name->text[length])
            return name;
    }
    return NULL;
}

static struct name *add(struct swi_names *names, _Atomic(struct name *) *slot, uint32_t h,
                        const char *text, size_t length, enum sw_value_kind kind)
{
    struct name *name = malloc(sizeof *name + length + 1);
    if (!name)
        return NULL;
    int number = atomic_fetch_add(&names->count, 1) + 1;
    name->number = (uint16_t)(number < NUMBERS_MAX ? number : 0);
    name->hash = h;
    name->kind = kind;
    atomic_init(&name->flags, 0);
    atomic_init(&name->own_step, 0);
    memcpy(name->text, text, length);
    name->text[length] = '\0';
    name->next = *slot;
    swi_handed_over(name);
    atomic_store_explicit(slot, name, memory_order_release);
    if (name->number)
        atomic_store_explicit(&names->number[name->number], name, memory_order_release);
    return name;
}

static bool has_room(const struct swi_names *names)
{
    return atomic_load_explicit(&names->count, memory_order_relaxed) < NAMES_MAX;
}

/* A name that is too long is looked up by its short form. Apart, because few are. */
static __attribute__((noinline)) const char *get_short(struct swi_names *names, const char *text,
                                                       bool always)
{
    char room[SWI_NAME_MAX + 1];
    return swi_names_get(names, swi_name_shorten(text, SWI_NAME_MAX, room), always);
}

const char *swi_names_get(struct swi_names *names, const char *text, bool always)
{
    size_t length;
    uint32_t h = swi_hash(text, SWI_NAME_MAX, &length);
    if (__builtin_expect(text[length], 0))
        return get_short(names, text, always);
    _Atomic(struct name *) *slot = &names->slot[h % SLOTS];
    struct name *name = find(atomic_load_explicit(slot, memory_order_acquire), h, text, length);
    if (!name && (always || has_room(names))) {
        pthread_mutex_lock(&names->lock);
        name = find(*slot, h, text, length);
        if (!name && (always || has_room(names)))
            name = add(names, slot, h, text, length, SWI_NUMBER);
        pthread_mutex_unlock(&names->lock);
    }
    return name && name->kind == SWI_NUMBER ? name->text : NULL;
}

/* With the lock held. */
static struct name *value_name_add(struct swi_names *names, _Atomic(struct name *) *slot,
                                   uint32_t h, const char *text, size_t length,
                                   enum sw_value_kind kind)
{
    struct name *name =
        names->values < SWI_VALUE_NAMES ? add(names, slot, h, text, length, kind) : NULL;
    names->values += name != NULL;
    return name;
}

const char *swi_names_take(struct swi_names *names, const char *text, enum sw_value_kind kind,
                           enum sw_value_kind *is)
{
    size_t length;
    char room[SWI_NAME_MAX + 1];
    text = swi_name_shorten(text, SWI_NAME_MAX, room);
    uint32_t h = swi_hash(text, SWI_NAME_MAX, &length);
    _Atomic(struct name *) *slot = &names->slot[h % SLOTS];
    struct name *name = find(atomic_load_explicit(slot, memory_order_acquire), h, text, length);
    if (!name) {
        pthread_mutex_lock(&names->lock);
        name = find(*slot, h, text, length);
        if (!name)
            name = value_name_add(names, slot, h, text, length, kind);
        pthread_mutex_unlock(&names->lock);
    }
    *is = name ? name->kind : kind;
    return name && name->kind == kind ? name->text : NULL;
}

enum sw_value_kind swi_names_kind(struct swi_names *names, const char *text)
{
    size_t length;
    char room[SWI_NAME_MAX + 1];
    text = swi_name_shorten(text, SWI_NAME_MAX, room);
    uint32_t h = swi_hash(text, SWI_NAME_MAX, &length);
    const struct name *name =
        find(atomic_load_explicit(&names->slot[h % SLOTS], memory_order_acquire), h, text, length);
    return name ? name->kind : SWI_NUMBER;
}

static struct name *name_of(const char *interned)
{
    return (struct name *)(uintptr_t)(interned - offsetof(struct name, text));
}

atomic_llong *swi_name_own_step(const char *interned)
{
    return &name_of(interned)->own_step;
}

uint16_t swi_metric_name_number(const char *interned)
{
    return name_of(interned)->number;
}

const char *swi_metric_name_of(const struct swi_names *names, unsigned number)
{
    const struct name *name =
        number < NUMBERS_MAX ? atomic_load_explicit(&names->number[number], memory_order_acquire)
                             : NULL;
    return name ? name->text : NULL;
}

struct swi_own_name *swi_own_name_new(const char *text)
{
    char room[SWI_NAME_MAX + 1];
    text = swi_name_shorten(text, SWI_NAME_MAX, room);
    size_t length = strlen(text);
    struct swi_own_name *name = malloc(sizeof *name + length + 1);
    if (!name)
        return NULL;
    name->next = NULL;
    memcpy(name->text, text, length);
    name->text[length] = '\0';
    return name;
}

void swi_own_names_free(struct swi_own_name *name)
{
    for (struct swi_own_name *next; name; name = next) {
        next = name->next;
        free(name);
    }
}
