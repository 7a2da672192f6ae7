/* SPDX-License-Identifier: MIT */
/* slowest.h - describes the ranks that keep the others waiting: f->row names them, and f->high the
 * steps that count. */
#ifndef CORE_STRAGGLERS_SLOWEST_H
#define CORE_STRAGGLERS_SLOWEST_H

#include "core/stragglers/lateness.h"

/* In this part of the blocks of a run one of them must be the last. */
#define SWI_LEAST_CONFIDENCE 0.7

/* Makes one rank the only one. */
void swi_slowest_set(struct swi_lateness *f, size_t rank);

/* Makes all steps count. */
void swi_slowest_all_steps(struct swi_lateness *f);

/* Returns in which part of the blocks of steps they are the last. */
double swi_slowest_leads(struct swi_lateness *f);

/* Describes them: the action with the largest loss, the wait, the gain. */
void swi_slowest_describe(struct swi_lateness *f, struct swi_slowness *slow);

/* Names them in f->found, and describes them. */
void swi_slowest_name(struct swi_lateness *f, const char *verdict, double confidence);

#endif
