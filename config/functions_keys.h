/* SPDX-License-Identifier: MIT */
/* functions_keys.h - the key `functions` of `profiler:`. Core uses the part about measuring. The
 * rest are options of the sink functions. */
#ifndef CONFIG_FUNCTIONS_KEYS_H
#define CONFIG_FUNCTIONS_KEYS_H

#include "config/yaml_reader.h"

#include <stdio.h>

/* Reads true, false, a value of `times`, or a mapping. */
void swi_functions_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Adds the sink functions with its options, if the key asks for it. */
void swi_functions_complete(struct swi_yaml_reader *reading);

/* Prints the settings as YAML. */
void swi_functions_print(const struct swi_functions_settings *functions, FILE *out);

#endif
