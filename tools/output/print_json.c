/* SPDX-License-Identifier: MIT */
#include "tools/output/print_json.h"

#include "tools/output/stderr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 15 digits: a double keeps them of any decimal number, so that 0.95 is printed as 0.95. jansson
 * escapes all but ASCII and its control characters, without the one above the letters. */
static int value_print(json_t *value, size_t layout, struct sw_error *err)
{
    char *text =
        value ? json_dumps(value, layout | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(value);
    if (!text)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the JSON");
    for (const char *at = text, *end; *at; at = end + (*end != '\0')) {
        end = at + strcspn(at, "\x7f");
        fwrite(at, 1, (size_t)(end - at), stdout);
        fputs(*end ? "\\u007f" : "\n", stdout);
    }
    free(text);
    return 0;
}

int json_print(json_t *value, struct sw_error *err)
{
    return value_print(value, JSON_INDENT(2), err);
}

bool json_show(const char *command, json_t *value)
{
    SW_ERROR_SCOPE(err);
    if (json_print(value, &err) < 0)
        say_error(command, &err);
    return !err.code;
}

bool json_show_line(const char *command, json_t *value)
{
    SW_ERROR_SCOPE(err);
    if (value_print(value, JSON_COMPACT, &err) < 0)
        say_error(command, &err);
    fflush(stdout);
    return !err.code;
}
