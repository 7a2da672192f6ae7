/* SPDX-License-Identifier: MIT */
/* counter_keys.h - the keys `counters` and `peak_flops` of `profiler:`. */
#ifndef CONFIG_COUNTER_KEYS_H
#define CONFIG_COUNTER_KEYS_H

#include "config/keys.h"

/* A list of names, each with `regions` or `steps` or without; or one of them. */
void swi_counters_read(struct swi_reading *reading, const struct swi_node *value);
void swi_counters_print(const struct swi_keys *keys, FILE *out);

/* 989e12, or 91.8T. */
void swi_peak_flops_read(struct swi_reading *reading, const struct swi_node *value);

#endif
