/* SPDX-License-Identifier: MIT */
/* yaml_values.h - what values and keys of YAML mean: environment variables, tags, such as !!str,
 * and keys that are repeated. */
#ifndef CONFIG_YAML_VALUES_H
#define CONFIG_YAML_VALUES_H

#include "core/text/config_mistakes.h"

#include <stdbool.h>

/* The result of expanding a text. */
struct swi_expansion {
    char *text;            /* freed by the caller; NULL if out of memory */
    bool from_environment; /* it contains a variable's value */
    bool wrong;            /* mistakes were added */
};

/* Replaces ${NAME}, ${NAME:-default} and $$ in text. The default is used if the variable is unset
 * or empty. In a setuid program every variable is unset. */
struct swi_expansion swi_expand(const char *text, const struct swi_where *where,
                                struct swi_mistakes *mistakes);

struct swi_node;

/* Keeps the first of equal keys and reports the others. Removes keys that are marked as wrong.
 * Returns false if out of memory. */
bool swi_repeated_keys_remove(struct swi_node *mapping, struct swi_mistakes *mistakes);

/* Reports a tag that does not fit the node, or is unknown. tag: may be NULL. */
void swi_tag_check(struct swi_node *node, const char *tag, struct swi_mistakes *mistakes);

/* Sets whether a text counts as quoted and as null. plain: it is written without quotes. */
void swi_tag_classify(struct swi_node *node, const char *tag, bool plain);

#endif
