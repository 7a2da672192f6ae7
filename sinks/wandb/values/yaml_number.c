/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/values/yaml_number.h"

#include <string.h>

void swi_yaml_number(struct swi_text *text, const char *json)
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
