/* SPDX-License-Identifier: MIT */
/* node_text.h - describes a node in messages. */
#ifndef CONFIG_NODE_TEXT_H
#define CONFIG_NODE_TEXT_H

#include "config/yaml_tree.h"

/* Describes a node for a message: its text as written in the file, quoted unless it is a plain
 * word; or "a list", "a mapping" or "nothing". Returns buffer. */
const char *swi_node_show(char *buffer, size_t size, const struct swi_node *node);

/* Like swi_node_show(), for messages with "found …": a text becomes `the text "x"`. Returns buffer.
 */
const char *swi_node_found(char *buffer, size_t size, const struct swi_node *node);

/* Do the same with a buffer that lives until the end of the block. */
#define SWI_NODE_SHOWN(node) swi_node_show((char[96]){0}, 96, (node))
#define SWI_NODE_FOUND(node) swi_node_found((char[112]){0}, 112, (node))

#endif
