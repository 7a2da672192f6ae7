/* SPDX-License-Identifier: MIT */
#include "core/counters/counter.h"

#include "core/text/names.h"

#include <string.h>

/* ---- lets one system call read several counters ---------------------------------------------- */

_Thread_local uint64_t swi_reading_number;

/* ---- all counters that a configuration may name ---------------------------------------------- */

#define ADDRESS(name) &swi_counter_##name,
static const struct swi_counter *const table[] = {SWI_COUNTERS(ADDRESS)};
enum { COUNTERS = sizeof table / sizeof *table };

const struct swi_counter *swi_counters_at(size_t i)
{
    return i < COUNTERS ? table[i] : NULL;
}

const struct swi_counter *swi_counters_find(const char *name)
{
    for (size_t i = 0; i < COUNTERS; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

const char *swi_counters_nearest(const char *name)
{
    const char *names[COUNTERS];
    for (size_t i = 0; i < COUNTERS; i++)
        names[i] = table[i]->name;
    return swi_nearest(name, names, COUNTERS);
}
