/* SPDX-License-Identifier: MIT */
/* repeated_keys.h - keys that are given twice in a mapping. */
#ifndef CONFIG_REPEATED_KEYS_H
#define CONFIG_REPEATED_KEYS_H

#include "core/text/config_mistakes.h"

#include <stdbool.h>

struct swi_node;

/* Keeps the first of equal keys and reports the others. Removes keys that are marked as wrong.
 * Returns false if out of memory. */
bool swi_repeated_keys_remove(struct swi_node *mapping, struct swi_mistakes *mistakes);

#endif
