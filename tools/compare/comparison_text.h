/* SPDX-License-Identifier: MIT */
/* comparison_text.h - prints a comparison as a table to standard output. */
#ifndef TOOLS_COMPARE_COMPARISON_TEXT_H
#define TOOLS_COMPARE_COMPARISON_TEXT_H

#include "tools/compare/comparison.h"

void comparison_print(const struct comparison *c);

#endif
