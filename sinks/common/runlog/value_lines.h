/* SPDX-License-Identifier: MIT */
/* value_lines.h - values that are more than a number as lines of a run log. */
#ifndef SINKS_COMMON_RUNLOG_VALUE_LINES_H
#define SINKS_COMMON_RUNLOG_VALUE_LINES_H

#include "core/text/buffer.h"
#include "sinks/common/runlog/value_files.h"

/* Adds the line of a value, a rule, a value of the summary, or a line of the program's logger, and
 * writes the files that it names before. */
void swi_value_line(struct swi_text *text, struct swi_value_files *files,
                    const struct sw_record *record);

#endif
