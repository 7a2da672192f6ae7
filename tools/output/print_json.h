/* SPDX-License-Identifier: MIT */
/* print_json.h - prints JSON for programs: the format of every --json. */
#ifndef TOOLS_OUTPUT_PRINT_JSON_H
#define TOOLS_OUTPUT_PRINT_JSON_H

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>

/* Prints a value in the format of every --json: indented, printable ASCII only, a newline at the
 * end. Takes it over. Returns 0, or SW_ENOMEM if it is NULL. */
int json_print(json_t *value, struct sw_error *err);

/* Prints a value like that, or to standard error why not. Returns whether it was printed. */
bool json_show(const char *command, json_t *value);

/* Prints a value as one line of a stream, and flushes it. */
bool json_show_line(const char *command, json_t *value);

#endif
