/* SPDX-License-Identifier: MIT */
/* yaml_number.h - writes numbers of JSON so that YAML reads them as numbers. */
#ifndef SINKS_WANDB_VALUES_YAML_NUMBER_H
#define SINKS_WANDB_VALUES_YAML_NUMBER_H

#include "core/text/buffer.h"

#include <string.h>

/* Adds a value that is in JSON. JSON is YAML, except for NaN and infinities, and for exponents,
 * which need a point before them: 1e-05 is a text in YAML. */
static inline void swi_yaml_number(struct swi_text *text, const char *json)
{
    static const char *const other[][2] = {
        {"NaN", ".nan"}, {"Infinity", ".inf"}, {"-Infinity", "-.inf"}};
    size_t digits = strspn(json, "-0123456789");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(json, other[i][0]) == 0)
            json = other[i][1];
    if (digits && json[digits] == 'e')
        swi_text_format(text, "%.*s.0%s", (int)digits, json, json + digits);
    else
        swi_text_put(text, json);
}

#endif
