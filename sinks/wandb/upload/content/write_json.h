/* SPDX-License-Identifier: MIT */
/* write_json.h - a JSON tree as text: numbers with the fewest digits that read back as the same. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_WRITE_JSON_H
#define SINKS_WANDB_UPLOAD_CONTENT_WRITE_JSON_H

#include "core/text/buffer.h"

#include <jansson.h>

void swi_write_json(struct swi_text *text, const json_t *json);

/* A mapping as YAML, four blanks a level, its keys sorted. */
void swi_write_yaml(struct swi_text *text, const json_t *json);

#endif
