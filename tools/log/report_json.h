/* SPDX-License-Identifier: MIT */
/* report_json.h - the reports of a run as JSON (docs/command.md). */
#ifndef TOOLS_LOG_REPORT_JSON_H
#define TOOLS_LOG_REPORT_JSON_H

#include "tools/log/collect.h"

/* Returns one run: the log, where it ends, and its reports with the fields of the run log's line
 * `report`. Returns NULL if out of memory. */
json_t *report_json(const struct collected *run);

/* Prints a value in the format of every --json: indented, ASCII only, a newline at the end. Takes
 * it over. Returns 0, or SW_ENOMEM if it is NULL. */
int json_print(json_t *value, struct sw_error *err);

#endif
