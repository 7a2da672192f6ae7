/* SPDX-License-Identifier: MIT */
/* profiler_section.h - reads the keys of `profiler:`. */
#ifndef CONFIG_PROFILER_SECTION_H
#define CONFIG_PROFILER_SECTION_H

struct swi_node;
struct swi_yaml_reader;

/* Reads the mapping `profiler`, or its short form, into config->keys. */
void swi_profiler_keys_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Reads "key=value,key=value" over the keys: $STEPWATCH_SET. */
void swi_profiler_keys_set(struct swi_yaml_reader *reading, const char *pairs);

#endif
