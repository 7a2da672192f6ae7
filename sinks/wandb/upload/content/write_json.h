/* SPDX-License-Identifier: MIT */
/* write_json.h - writes a JSON tree as text, with numbers as short as they can be without losing
 * precision. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_WRITE_JSON_H
#define SINKS_WANDB_UPLOAD_CONTENT_WRITE_JSON_H

#include "core/text/buffer.h"

#include <jansson.h>

void swi_write_json(struct swi_text *text, const json_t *json);

/* Writes a mapping as YAML, with four blanks per level and sorted keys. */
void swi_write_yaml(struct swi_text *text, const json_t *json);

#endif
