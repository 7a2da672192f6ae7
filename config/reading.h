/* SPDX-License-Identifier: MIT */
/* reading.h - what the readers of the parts of a configuration share. */
#ifndef CONFIG_READING_H
#define CONFIG_READING_H

#include "config/config.h"
#include "config/tree.h"

/* One configuration being read. */
struct swi_reading {
    struct swi_config *config;
    struct swi_mistakes *mistakes;
    bool no_memory;
    bool too_many_sinks; /* and said so */
};

/* strdup() that notes a failure. */
char *swi_reading_copy(struct swi_reading *reading, const char *text);

/* An array of count items of size bytes with room for one more, or NULL, noted; array is then as it
 * was. */
void *swi_reading_grow(struct swi_reading *reading, void *array, size_t count, size_t size);

/* Reads the mapping `profiler`, or its short form. Fills config->keys. */
void swi_keys_read(struct swi_reading *reading, const struct swi_node *node);

/* Reads "key=value,key=value" over them: $STEPWATCH_SET. */
void swi_keys_set(struct swi_reading *reading, const char *pairs);

/* Reads `logger_callback` into config->settings.sink; node NULL: nothing. */
void swi_sinks_read(struct swi_reading *reading, const struct swi_node *node);

/* Adds the sinks that show_report, markdown and save_csv ask for, and hands plain and csv_name on.
 */
void swi_sinks_complete(struct swi_reading *reading);

/* Reads `plugin_path` into config->settings. */
void swi_paths_read(struct swi_reading *reading, const struct swi_node *node);

/* Says that a mapping has a key that it should not have. names: those that it may have. */
void swi_key_unknown(struct swi_reading *reading, const char *prefix, const struct swi_node *key,
                     const char *const *names, size_t count, const char *hint);

#endif
