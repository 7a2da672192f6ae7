/* SPDX-License-Identifier: MIT */
/* energy.h - how much energy was used until when. */
#ifndef CORE_MONITORS_ENERGY_H
#define CORE_MONITORS_ENERGY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWI_ENERGIES = 512 };

/* Readings of a sum that grows, by ticks. One thread adds, any thread asks. */
struct swi_energies {
    pthread_mutex_t lock;
    size_t count;
    struct swi_energy {
        int64_t tick;
        double joules;
    } item[SWI_ENERGIES];
};

void swi_energies_init(struct swi_energies *energies);
void swi_energies_fini(struct swi_energies *energies);

/* Adds a reading. If the list is full, drops every second reading first. */
void swi_energies_add(struct swi_energies *energies, int64_t tick, double joules);

/* Gets the tick of the newest reading. Returns false if there is none. */
bool swi_energies_newest(struct swi_energies *energies, int64_t *tick);

/* The energy from one tick to another, as if it was used evenly between two readings, and after the
 * last one as between the last two. 0 if there are not two readings. */
double swi_energies_between(struct swi_energies *energies, int64_t from, int64_t to);

#endif
