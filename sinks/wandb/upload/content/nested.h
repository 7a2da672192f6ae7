/* SPDX-License-Identifier: MIT */
/* nested.h - items whose names have several parts, as nested objects: {"a":{"b":1,"c":2}}. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_NESTED_H
#define SINKS_WANDB_UPLOAD_CONTENT_NESTED_H

#include "sinks/wandb/file/reader.h"

#include <jansson.h>

/* Adds the members of a JSON object for those of the items that have more than one part, a comma
 * behind each. Of two items of one name the later counts; what is below a value replaces it. */
void swi_nested_put(struct swi_text *json, SwiWandb__Item *const *item, size_t count);

/* Sets the value of an item of more than one part in an object of objects. */
void swi_nested_set(json_t *root, const SwiWandb__Item *item, json_t *value);

#endif
