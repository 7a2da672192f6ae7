/* SPDX-License-Identifier: MIT */
/* late_rank.h - a rank that is late in most of the run, or in some steps and by far. */
#ifndef CORE_STRAGGLERS_LATE_RANK_H
#define CORE_STRAGGLERS_LATE_RANK_H

#include "core/stragglers/lateness.h"

/* Returns from which usual lateness on a rank is slow, and not only the latest by chance. */
double swi_late_bound(struct swi_lateness *f);

/* Looks for a rank that is late in most of the run. Returns true if it is found, and names it in
 * f->found. */
bool swi_late_rank_find(struct swi_lateness *f);

/* Marks in f->high the steps in which some rank is late by far. Returns their number. */
size_t swi_late_steps_find(struct swi_lateness *f);

/* Returns true if one rank is late in so many of those steps that it is hardly chance, and names it
 * in f->found. */
bool swi_sometimes_late_find(struct swi_lateness *f, size_t high);

/* Fills in f->found->delays: steps in which a rank is late by far that f->row does not mark. */
void swi_rank_delays_find(struct swi_lateness *f);

#endif
