/* SPDX-License-Identifier: MIT */
/* slow_parts.h - what of slow steps takes longer. */
#ifndef CORE_ADVICE_SLOW_PARTS_H
#define CORE_ADVICE_SLOW_PARTS_H

#include "core/advice/judge.h"
#include "core/text/buffer.h"

/* The action that has at least half of what these steps take longer: its name, borrowed; "*": all
 * in the same proportion as in other steps; "" none. unnamed: with "", it is known to be in none
 * of the actions. */
struct swi_slow_part {
    const char *action;
    bool unnamed;
};
struct swi_slow_part swi_slow_part_of(struct swi_judge *judge, const size_t *at, size_t count);

/* Adds ", in backward", ", in all actions alike" or ", in none of the measured actions"; nothing
 * where it is not known. */
void swi_slow_part_put(struct swi_text *text, const struct swi_judge *judge,
                       const struct swi_slow_part *part);

/* Whether the delay of each of these steps sits in one action, and which one is a matter of chance,
 * by its length: that is what a processor taken away looks like. */
bool swi_one_at_a_time(struct swi_judge *judge, const size_t *at, size_t count);

#endif
