/* SPDX-License-Identifier: MIT */
/* yaml_reader.h - shared by the readers of the parts of a configuration. */
#ifndef CONFIG_YAML_READER_H
#define CONFIG_YAML_READER_H

#include "config/config.h"
#include "config/yaml_tree.h"

#include <stepwatch/stepwatch.h>

/* One configuration being read. */
struct swi_yaml_reader {
    struct swi_config *config;
    struct swi_mistakes *mistakes;
    const struct sw_options *options; /* given by the program, or NULL */
    bool no_memory;
    bool too_many_sinks; /* true once that was reported */
    bool too_many_monitors;
};

/* Copies a text. Notes a failure in no_memory. */
char *swi_yaml_reader_copy(struct swi_yaml_reader *reading, const char *text);

/* swi_vec_room() that notes in no_memory if it fails. */
bool swi_yaml_reader_room(struct swi_yaml_reader *reading, void *items, size_t count, size_t size);

/* Reports an unknown key of a mapping. names: the valid keys. */
void swi_key_unknown(struct swi_yaml_reader *reading, const char *prefix,
                     const struct swi_node *key, const char *const *names, size_t count,
                     const char *hint);

/* Describes a node for a message: its text as written in the file, quoted unless it is a plain
 * word; or "a list", "a mapping" or "nothing". Returns buffer. */
const char *swi_node_show(char *buffer, size_t size, const struct swi_node *node);

/* Like swi_node_show(), for messages with "found …": a text becomes `the text "x"`. Returns buffer.
 */
const char *swi_node_found(char *buffer, size_t size, const struct swi_node *node);

/* Do the same with a buffer that lives until the end of the block. */
#define SWI_NODE_SHOWN(node) swi_node_show((char[96]){0}, 96, (node))
#define SWI_NODE_FOUND(node) swi_node_found((char[112]){0}, 112, (node))

/* Adds a mistake at the place of a node, printf-like. */
#define SWI_NODE_MISTAKE(reading, node, ...)                                                       \
    swi_mistakes_add((reading)->mistakes, &(node)->where, __VA_ARGS__)

/* Adds the mistake "KEY: found VALUE, expected EXPECTED". */
void swi_node_unexpected(struct swi_yaml_reader *reading, const struct swi_node *node,
                         const char *key, const char *expected);

#endif
