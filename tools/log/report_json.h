/* SPDX-License-Identifier: MIT */
/* report_json.h - the reports of a run as JSON: docs/command.md. */
#ifndef TOOLS_LOG_REPORT_JSON_H
#define TOOLS_LOG_REPORT_JSON_H

#include "tools/log/collect.h"

/* One run: the log, where it ends, its reports with the fields of the run log's line `report`. NULL
 * if out of memory. */
json_t *report_json(const struct collected *run);

/* Prints a value as every --json does: indented, ASCII only, a newline at the end. Takes it. 0, or
 * SW_ENOMEM if it is NULL. */
int json_print(json_t *value, struct sw_error *err);

#endif
