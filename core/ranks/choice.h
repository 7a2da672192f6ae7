/* SPDX-License-Identifier: MIT */
/* choice.h - which of several sources counts. */
#ifndef CORE_RANKS_CHOICE_H
#define CORE_RANKS_CHOICE_H

#include "core/ranks/launcher.h"

#include <stddef.h>

struct swi_choice {
    size_t count;
    struct swi_launcher source[SWI_LAUNCHERS + 1]; /* in the order of enum swi_launcher_id */
    bool certain;                                  /* set to false where something contradicts */
    const struct swi_variables *variables;
};

/* Chooses one of at least one source. Sources that do not count are removed. */
const struct swi_launcher *swi_choose(struct swi_choice *choice);

#endif
