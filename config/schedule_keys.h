/* SPDX-License-Identifier: MIT */
/* schedule_keys.h - the keys `schedule` and `capture` of `profiler`: when regions are recorded. */
#ifndef CONFIG_SCHEDULE_KEYS_H
#define CONFIG_SCHEDULE_KEYS_H

#include "config/profiler_keys.h"

#include <stdio.h>

struct swi_node;
struct swi_yaml_reader;

/* Read the mapping of each key. If it is given again, by a program or the environment, it replaces
 * only the entries that it names. */
void swi_schedule_read(struct swi_yaml_reader *reading, const struct swi_node *node);
void swi_capture_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Reports what is missing after everything was read. */
void swi_windows_complete(struct swi_yaml_reader *reading);

/* Print what follows "schedule: " or "capture: ". */
void swi_schedule_print(const struct swi_profiler_keys *keys, FILE *out);
void swi_capture_print(const struct swi_profiler_keys *keys, FILE *out);

#endif
