/* SPDX-License-Identifier: MIT */
#include "core/counters/counted_memory.h"
#include "core/counters/counter.h"
#include "core/process/plugin_threads.h"
#include "core/text/names.h"

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { OTHER = SWI_USER_COUNTERS - 1 };

/* Names are added under the lock and never change. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const char *) names[SWI_USER_COUNTERS] = {[OTHER] = "other"};
static atomic_int count;

static int find(const char *name)
{
    int known = atomic_load_explicit(&count, memory_order_acquire);
    for (int i = 0; i < known; i++) {
        swi_taken_over(names[i]);
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return -1;
}

/* Call it with the lock held. */
static int add(const char *name)
{
    int next = atomic_load(&count);
    SWI_OWN_MEMORY;
    char *copy = next < OTHER ? strdup(name) : NULL;
    if (!copy)
        return OTHER;
    swi_handed_over(copy);
    atomic_store(&names[next], copy);
    atomic_store_explicit(&count, next + 1, memory_order_release);
    return next;
}

void swi_user_counters_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

int sw_counter(const char *name)
{
    char room[SWI_NAME_MAX + 1];
    if (!name)
        return OTHER;
    name = swi_name_shorten(name, SWI_NAME_MAX, room);
    int known = find(name);
    if (known >= 0)
        return known;
    pthread_mutex_lock(&lock);
    known = find(name);
    if (known < 0)
        known = add(name);
    pthread_mutex_unlock(&lock);
    return known;
}

const char *swi_user_counter_name(int counter)
{
    const char *name = counter >= 0 && counter < SWI_USER_COUNTERS ? names[counter] : NULL;
    swi_taken_over(name);
    return name ? name : "other";
}

const char *swi_user_counter_unit(const char *name)
{
    return strcmp(name, "bytes") == 0 ? "B" : "";
}
