/* SPDX-License-Identifier: MIT */
/* slow_parts.h - finds which part of slow steps takes longer. */
#ifndef CORE_ADVICE_SLOW_PARTS_H
#define CORE_ADVICE_SLOW_PARTS_H

#include "core/advice/analysis.h"
#include "core/text/buffer.h"

/* The action with at least half of the excess of these steps: its name, borrowed; "*": all in the
 * same proportion as in other steps; "": none. unnamed: with "", it is known to be in none of the
 * actions. */
struct swi_slow_part {
    const char *action;
    bool unnamed;
};
struct swi_slow_part swi_slow_part_of(struct swi_analysis *analysis, const size_t *at,
                                      size_t count);

/* Adds ", in backward", ", in all actions alike" or ", in none of the measured actions"; nothing if
 * it is not known. */
void swi_slow_part_put(struct swi_text *text, const struct swi_analysis *analysis,
                       const struct swi_slow_part *part);

/* Returns whether the delay of each of these steps is in a single action, and which one is random,
 * in proportion to its length. That is the pattern of preemption. */
bool swi_one_at_a_time(struct swi_analysis *analysis, const size_t *at, size_t count);

/* ---- how a batch is divided among the actions in it ------------------------------------------ */

/* Calculates the parts of a batch at its first call. */
const struct swi_batch_parts *swi_batch_parts_of(struct swi_analysis *analysis);

#endif
