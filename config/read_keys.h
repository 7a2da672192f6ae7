/* SPDX-License-Identifier: MIT */
/* read_keys.h - reads the keys of `profiler:`. */
#ifndef CONFIG_READ_KEYS_H
#define CONFIG_READ_KEYS_H

struct swi_node;
struct swi_reading;

/* Reads the mapping `profiler`, or its short form, into config->keys. */
void swi_keys_read(struct swi_reading *reading, const struct swi_node *node);

/* Reads "key=value,key=value" over the keys: $STEPWATCH_SET. */
void swi_keys_set(struct swi_reading *reading, const char *pairs);

#endif
