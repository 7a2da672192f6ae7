/* SPDX-License-Identifier: MIT */
/* finding_changes_text.h - prints what changed by findings, below the table of durations. */
#ifndef TOOLS_COMPARE_FINDING_CHANGES_TEXT_H
#define TOOLS_COMPARE_FINDING_CHANGES_TEXT_H

#include "tools/compare/finding_changes.h"

/* Prints nothing if no finding changed. */
void finding_changes_print(const struct finding_changes *changes);

#endif
