/* SPDX-License-Identifier: MIT */
/* yaml_checks.h - tags of YAML, such as !!str, what a text without one means, and repeated keys. */
#ifndef CONFIG_YAML_CHECKS_H
#define CONFIG_YAML_CHECKS_H

#include "core/text/config_mistakes.h"

#include <stdbool.h>

struct swi_node;

/* Keeps the first of equal keys and reports the others. Removes keys that are marked as wrong.
 * Returns false if out of memory. */
bool swi_repeated_keys_remove(struct swi_node *mapping, struct swi_mistakes *mistakes);

/* Reports a tag that does not fit the node, or is unknown. tag: may be NULL. */
void swi_tag_check(struct swi_node *node, const char *tag, struct swi_mistakes *mistakes);

/* Sets whether a text counts as quoted and as null. plain: it is written without quotes. */
void swi_tag_classify(struct swi_node *node, const char *tag, bool plain);

#endif
