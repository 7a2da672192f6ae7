/* SPDX-License-Identifier: MIT */
/* functions_keys.h - the key `functions` of `profiler:`. What it says of the measuring is core's,
 * and the rest are options of the sink functions. */
#ifndef CONFIG_FUNCTIONS_KEYS_H
#define CONFIG_FUNCTIONS_KEYS_H

#include "config/reading.h"

#include <stdio.h>

/* Reads true, false, the name of a way to take times, or a mapping. */
void swi_functions_read(struct swi_reading *reading, const struct swi_node *node);

/* Adds the sink functions where it was asked for, with its options. */
void swi_functions_complete(struct swi_reading *reading);

/* As YAML. */
void swi_functions_print(const struct swi_functions_settings *functions, FILE *out);

#endif
