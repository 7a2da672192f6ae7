/* SPDX-License-Identifier: MIT */
/* late_rank.h - a rank that is late in most of the run. */
#ifndef CORE_STRAGGLERS_LATE_RANK_H
#define CORE_STRAGGLERS_LATE_RANK_H

#include "core/stragglers/lateness.h"

/* Returns from which usual lateness on a rank is slow, and not only the latest by chance. */
double swi_late_bound(struct swi_lateness *f);

/* Looks for one. Returns true if it is found, and names it in f->found. */
bool swi_late_rank_find(struct swi_lateness *f);

#endif
