/* SPDX-License-Identifier: MIT */
/* unmeasured.h - says which of the chosen counters are not measured: one sentence for neighbours
 * with the same reason.
 */
#ifndef CORE_LOOP_UNMEASURED_H
#define CORE_LOOP_UNMEASURED_H

#include "core/counters/counter_choice.h"
#include "core/delivery/messages.h"

/* Counters that are not measured for the same reason. Zero-initialised, it is empty. */
struct swi_unmeasured {
    const char *name[SWI_COUNTER_CHOICES];
    int count;
    struct sw_error why;
};

/* Adds a counter. If the reason is another one, first says which were added before. */
void swi_unmeasured_add(struct swi_messages *messages, struct swi_unmeasured *unmeasured,
                        const char *name, const struct sw_error *why);

/* Says which were added, and forgets them. */
void swi_unmeasured_tell(struct swi_messages *messages, struct swi_unmeasured *unmeasured);

#endif
