/* SPDX-License-Identifier: MIT */
#include "core/monitors/energy.h"

void swi_energies_init(struct swi_energies *energies)
{
    energies->count = 0;
    pthread_mutex_init(&energies->lock, NULL);
}

void swi_energies_fini(struct swi_energies *energies)
{
    pthread_mutex_destroy(&energies->lock);
}

/* The first one stays, so that the run has its beginning. */
static void thin_out(struct swi_energies *energies)
{
    size_t kept = 0;
    for (size_t i = 0; i < energies->count; i += 2)
        energies->item[kept++] = energies->item[i];
    energies->count = kept;
}

void swi_energies_add(struct swi_energies *energies, int64_t tick, double joules)
{
    pthread_mutex_lock(&energies->lock);
    if (energies->count == SWI_ENERGIES)
        thin_out(energies);
    energies->item[energies->count++] = (struct swi_energy){tick, joules};
    pthread_mutex_unlock(&energies->lock);
}

bool swi_energies_newest(struct swi_energies *energies, int64_t *tick)
{
    pthread_mutex_lock(&energies->lock);
    bool any = energies->count > 0;
    *tick = any ? energies->item[energies->count - 1].tick : 0;
    pthread_mutex_unlock(&energies->lock);
    return any;
}

/* The line through the two readings around a tick, or through the nearest two. */
static double at(const struct swi_energies *energies, int64_t tick)
{
    size_t i = 1;
    while (i + 1 < energies->count && energies->item[i].tick < tick)
        i++;
    const struct swi_energy *a = &energies->item[i - 1], *b = &energies->item[i];
    double length = (double)(b->tick - a->tick);
    double share = length > 0 ? (double)(tick - a->tick) / length : 0;
    return a->joules + share * (b->joules - a->joules);
}

double swi_energies_between(struct swi_energies *energies, int64_t from, int64_t to)
{
    pthread_mutex_lock(&energies->lock);
    double joules = energies->count >= 2 ? at(energies, to) - at(energies, from) : 0;
    pthread_mutex_unlock(&energies->lock);
    return joules > 0 ? joules : 0;
}
