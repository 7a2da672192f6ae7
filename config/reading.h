/* SPDX-License-Identifier: MIT */
/* reading.h - what the readers of the parts of a configuration share. */
#ifndef CONFIG_READING_H
#define CONFIG_READING_H

#include "config/config.h"
#include "config/tree.h"

#include <stepwatch/stepwatch.h>

/* One configuration being read. */
struct swi_reading {
    struct swi_config *config;
    struct swi_mistakes *mistakes;
    const struct sw_options *options; /* of the program; NULL: none */
    bool no_memory;
    bool too_many_sinks; /* and said so */
};

/* strdup() that notes a failure. */
char *swi_reading_copy(struct swi_reading *reading, const char *text);

/* An array of count items of size bytes with room for one more, or NULL, noted; array is then as it
 * was. */
void *swi_reading_grow(struct swi_reading *reading, void *array, size_t count, size_t size);

/* Says that a mapping has a key that it should not have. names: those that it may have. */
void swi_key_unknown(struct swi_reading *reading, const char *prefix, const struct swi_node *key,
                     const char *const *names, size_t count, const char *hint);

#endif
