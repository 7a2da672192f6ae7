/* SPDX-License-Identifier: MIT */
/* comparison_json.h - prints a comparison as JSON to standard output. */
#ifndef TOOLS_COMPARE_COMPARISON_JSON_H
#define TOOLS_COMPARE_COMPARISON_JSON_H

#include "tools/compare/comparison.h"

int comparison_print_json(const struct comparison *c, struct sw_error *err);

#endif
