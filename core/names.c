/* SPDX-License-Identifier: MIT */
/* Metric names, each copied once. Found without a lock; added under one. */
#include "core/action.h"
#include "core/state.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096 };

struct name {
    struct name *next;
    uint32_t hash;
    char text[];
};

struct swi_names {
    pthread_mutex_t lock;
    _Atomic(struct name *) slot[SLOTS];
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

/* FNV-1a, and the length that counts. */
static uint32_t hash(const char *text, size_t *length)
{
    uint32_t h = 2166136261u;
    size_t n = 0;
    for (; n < SWI_NAME_MAX && text[n]; n++)
        h = (h ^ (unsigned char)text[n]) * 16777619u;
    *length = n;
    return h;
}

static struct name *find(struct name *name, uint32_t h, const char *text, size_t length)
{
    for (; name; name = name->next)
        if (name->hash == h && strncmp(name->text, text, length) == 0 && !name->text[length])
            return name;
    return NULL;
}

static struct name *add(_Atomic(struct name *) *slot, uint32_t h, const char *text, size_t length)
{
    struct name *name = malloc(sizeof *name + length + 1);
    if (!name)
        return NULL;
    name->hash = h;
    memcpy(name->text, text, length);
    name->text[length] = '\0';
    name->next = *slot;
    atomic_store_explicit(slot, name, memory_order_release);
    return name;
}

const char *swi_names_get(struct swi_names *names, const char *text)
{
    size_t length;
    uint32_t h = hash(text, &length);
    _Atomic(struct name *) *slot = &names->slot[h % SLOTS];
    struct name *name = find(atomic_load_explicit(slot, memory_order_acquire), h, text, length);
    if (!name) {
        pthread_mutex_lock(&names->lock);
        name = find(*slot, h, text, length);
        if (!name)
            name = add(slot, h, text, length);
        pthread_mutex_unlock(&names->lock);
    }
    return name ? name->text : NULL;
}
