/* SPDX-License-Identifier: MIT */
/* limits.h - what a configuration may be at most. libyaml has no limits of its own: 100,000 nested
 * [ take it 15 s, and nine lines of aliases stand for 400 million nodes. */
#ifndef CONFIG_LIMITS_H
#define CONFIG_LIMITS_H

#include "core/text/mistakes.h"

#include <stdbool.h>

enum {
    SWI_CONFIG_BYTES = 1 << 20, /* of the file, and of all texts after aliases and ${VAR} */
    SWI_CONFIG_DEPTH = 64,      /* lists and mappings within each other */
    SWI_CONFIG_NODES = 100000,  /* texts, lists and mappings after aliases */
    SWI_CONFIG_ALIASES = 1024,  /* *name, and as many &name */
    SWI_CONFIG_SINKS = 64,      /* each has a thread */
    SWI_CONFIG_MISTAKES = 1000  /* looked for no further than this */
};

/* Whether there are enough mistakes; if so, adds a last one that says so, once, at this place. */
bool swi_enough_mistakes(struct swi_mistakes *mistakes, const struct swi_where *where);

#endif
