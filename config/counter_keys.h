/* SPDX-License-Identifier: MIT */
/* counter_keys.h - the keys `counters` and `peak_flops` of `profiler:`. */
#ifndef CONFIG_COUNTER_KEYS_H
#define CONFIG_COUNTER_KEYS_H

#include "config/profiler_keys.h"

#include <stdio.h>

struct swi_node;
struct swi_yaml_reader;

/* Reads a name or a list of names, each with or without `regions` or `steps`. */
void swi_counters_read(struct swi_yaml_reader *reading, const struct swi_node *value);
void swi_counters_print(const struct swi_profiler_keys *keys, FILE *out);

/* Reads a number like 989e12 or 91.8T. */
void swi_peak_flops_read(struct swi_yaml_reader *reading, const struct swi_node *value);

#endif
