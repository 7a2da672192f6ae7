/* SPDX-License-Identifier: MIT */
/* report_json.h - the reports of a run as JSON (docs/command.md). */
#ifndef TOOLS_LOG_REPORT_JSON_H
#define TOOLS_LOG_REPORT_JSON_H

#include "core/advice/advice.h"
#include "tools/log/collect.h"
#include "tools/output/print.h"

#include <jansson.h>

/* Puts a report into a list, with the fields of the run log's line `report`. */
void report_json(struct json_parts *json, const struct collected_report *collected);

/* Puts a run into a list: the log, where it ends, and its reports, which were put into `reports`
 * ahead. Returns 0, SW_ENOMEM or SW_EIO. */
int run_json(struct json_parts *json, const struct collected *run, const struct json_parts *reports,
             struct sw_error *err);

/* Returns one finding, or NULL if out of memory. */
json_t *finding_json(const struct sw_finding *finding);

/* Returns a list, or NULL if out of memory. */
json_t *findings_json(const struct swi_advice *advice);

#endif
