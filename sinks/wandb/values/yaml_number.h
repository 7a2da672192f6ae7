/* SPDX-License-Identifier: MIT */
/* yaml_number.h - numbers of JSON as YAML reads them. */
#ifndef SINKS_WANDB_VALUES_YAML_NUMBER_H
#define SINKS_WANDB_VALUES_YAML_NUMBER_H

#include "core/text/buffer.h"

/* Adds a value that stands as JSON. JSON is YAML, but for numbers that are none and for exponents,
 * which want a point before them: without it 1e-05 is a text. */
void swi_yaml_number(struct swi_text *text, const char *json);

#endif
