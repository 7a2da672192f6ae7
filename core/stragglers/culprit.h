/* SPDX-License-Identifier: MIT */
/* culprit.h - describes the ranks that keep the others waiting: f->row names them, and f->high the
 * steps that count. */
#ifndef CORE_STRAGGLERS_CULPRIT_H
#define CORE_STRAGGLERS_CULPRIT_H

#include "core/stragglers/lateness.h"

/* In this part of the blocks of a run a culprit must be the last. */
#define SWI_LEAST_CONFIDENCE 0.7

/* Makes one rank the only culprit. */
void swi_culprit_set(struct swi_lateness *f, size_t rank);

/* Makes all steps count. */
void swi_culprit_all_steps(struct swi_lateness *f);

/* Returns in which part of the blocks of steps the culprits are the last. */
double swi_culprit_leads(struct swi_lateness *f);

/* Describes the culprits: the action with the largest loss, the wait, the gain. */
void swi_culprit_describe(struct swi_lateness *f, struct swi_slowness *slow);

/* Names them in f->found, and describes them. */
void swi_culprit_name(struct swi_lateness *f, const char *verdict, double confidence);

#endif
