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

#endif
