/* SPDX-License-Identifier: MIT */
#include "core/text/short_name.h"
#include "core/text/characters.h"
#include "core/text/hash.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CHECKSUM = 9, SHOWN = 60 };

/* Written by the thread that took it, before `told`. */
static struct {
    atomic_flag taken;
    atomic_bool reported;
    char name[SHOWN + 1];
    size_t bytes;
} first = {.taken = ATOMIC_FLAG_INIT};

static void first_keep(const char *name, size_t bytes)
{
    if (atomic_flag_test_and_set(&first.taken))
        return;
    memcpy(first.name, name, swi_utf8_fit(name, SHOWN));
    first.bytes = bytes;
    atomic_store(&first.reported, true);
}

const char *swi_name_shorten(const char *name, size_t most, char *room)
{
    if (strnlen(name, most + 1) <= most)
        return name;
    size_t length, kept = swi_utf8_fit(name, most - CHECKSUM);
    uint32_t checksum = swi_hash(name, SIZE_MAX, &length);
    memcpy(room, name, kept);
    snprintf(room + kept, CHECKSUM + 1, "-%08x", (unsigned)checksum);
    first_keep(name, length);
    return room;
}

bool swi_name_was_shortened(void)
{
    return atomic_load_explicit(&first.reported, memory_order_acquire);
}

const char *swi_name_shortened_first(size_t *bytes)
{
    *bytes = first.bytes;
    return first.name;
}
