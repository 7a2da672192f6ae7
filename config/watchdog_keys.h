/* SPDX-License-Identifier: MIT */
/* watchdog_keys.h - the key `watchdog` of `profiler`. */
#ifndef CONFIG_WATCHDOG_KEYS_H
#define CONFIG_WATCHDOG_KEYS_H

#include "config/profiler_keys.h"

#include <stdio.h>

struct swi_node;
struct swi_yaml_reader;

/* Reads a duration, auto, off, or a mapping. A later mapping replaces only the entries that it has.
 */
void swi_watchdog_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Prints what follows "watchdog: ", without the address, which is a secret. */
void swi_watchdog_print(const struct swi_profiler_keys *keys, FILE *out);

#endif
