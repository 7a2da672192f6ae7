/* SPDX-License-Identifier: MIT */
/* yaml_number.h - writes numbers of JSON so that YAML reads them as numbers. */
#ifndef SINKS_WANDB_VALUES_YAML_NUMBER_H
#define SINKS_WANDB_VALUES_YAML_NUMBER_H

#include "core/text/buffer.h"

/* Adds a value that is in JSON. JSON is YAML, except for NaN and infinities, and for exponents,
 * which need a point before them: 1e-05 is a text in YAML. */
void swi_yaml_number(struct swi_text *text, const char *json);

#endif
