/* SPDX-License-Identifier: MIT */
/* choice.h - chooses one of several sources of the rank. */
#ifndef CORE_RANKS_CHOICE_H
#define CORE_RANKS_CHOICE_H

#include "core/ranks/launcher.h"

#include <stddef.h>

struct swi_choice {
    size_t count;
    struct swi_launcher source[SWI_LAUNCHERS + 1]; /* in the order of enum swi_launcher_id */
    bool certain;                                  /* set to false if another source contradicts */
    const struct swi_variables *variables;
};

/* Returns the best source. There must be at least one. Sources that do not count are removed. */
const struct swi_launcher *swi_choose(struct swi_choice *choice);

#endif
