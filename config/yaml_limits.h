/* SPDX-License-Identifier: MIT */
/* yaml_limits.h - the limits of a configuration. libyaml has none of its own: it needs 15 s for
 * 100,000 nested [, and nine lines of aliases can expand to 400 million nodes. */
#ifndef CONFIG_YAML_LIMITS_H
#define CONFIG_YAML_LIMITS_H

#include "core/text/config_mistakes.h"

#include <stdbool.h>

enum {
    SWI_CONFIG_BYTES =
        1 << 20,           /* of the file, and of all texts after aliases and ${VAR} are expanded */
    SWI_CONFIG_DEPTH = 64, /* nested lists and mappings */
    SWI_CONFIG_NODES = 100000, /* texts, lists and mappings after aliases are expanded */
    SWI_CONFIG_ALIASES = 1024, /* *name, and the same number of &name */
    SWI_CONFIG_SINKS = 64,     /* each has a thread */
    SWI_CONFIG_MISTAKES = 1000 /* the search ends after this many */
};

/* Returns whether the limit of mistakes is exceeded. Adds a last one that says so when it is
 * reached. */
static inline bool swi_enough_mistakes(struct swi_mistakes *mistakes, const struct swi_where *where)
{
    if (mistakes->count == SWI_CONFIG_MISTAKES)
        swi_mistakes_add(mistakes, where,
                         "too many mistakes: the rest of the file was not checked");
    return mistakes->count > SWI_CONFIG_MISTAKES;
}

#endif
