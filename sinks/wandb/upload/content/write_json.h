/* SPDX-License-Identifier: MIT */
/* write_json.h - writes a JSON tree as text, with numbers as short as they can be without losing
 * precision. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_WRITE_JSON_H
#define SINKS_WANDB_UPLOAD_CONTENT_WRITE_JSON_H

#include "core/text/buffer.h"
#include "sinks/wandb/file/reader.h"

#include <jansson.h>

void swi_write_json(struct swi_text *text, const json_t *json);

/* Writes a mapping as YAML, with four blanks per level and sorted keys. */
void swi_write_yaml(struct swi_text *text, const json_t *json);

/* Returns the value of an item as a new JSON value, or NULL if it is not JSON or memory runs
 * out. */
json_t *swi_item_value(const struct swi_item_message *item);

/* Adds members of a JSON object for those of the items that have more than one part, each followed
 * by a comma. Of two items with the same name, the later one counts. Items below a value replace
 * it. */
void swi_nested_put(struct swi_text *json, const struct swi_item_message *const *item,
                    size_t count);

/* Sets the value of an item with more than one part in an object of objects. */
void swi_nested_set(json_t *root, const struct swi_item_message *item, json_t *value);
/* Removes it. */
void swi_nested_remove(json_t *root, const struct swi_item_message *item);

#endif
