/* SPDX-License-Identifier: MIT */
/* yaml_tags.h - the tags of YAML, such as !!str, and what a text without one means. */
#ifndef CONFIG_YAML_TAGS_H
#define CONFIG_YAML_TAGS_H

#include "core/text/config_mistakes.h"

#include <stdbool.h>

struct swi_node;

/* Reports a tag that does not fit the node, or is unknown. tag: may be NULL. */
void swi_tag_check(struct swi_node *node, const char *tag, struct swi_mistakes *mistakes);

/* Sets whether a text counts as quoted and as null. plain: it is written without quotes. */
void swi_tag_classify(struct swi_node *node, const char *tag, bool plain);

#endif
