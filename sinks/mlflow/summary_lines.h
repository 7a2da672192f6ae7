/* SPDX-License-Identifier: MIT */
/* summary_lines.h - values of sw_summary(): MLflow shows the newest value of a metric, so a number
 * of the summary has to be that. */
#ifndef SINKS_MLFLOW_SUMMARY_LINES_H
#define SINKS_MLFLOW_SUMMARY_LINES_H

#include "core/text/buffer.h"
#include "core/text/map.h"

#include <stepwatch/sink.h>

struct swi_summary_line {
    double value;
    bool hidden; /* a metric of this name was logged afterwards */
};

/* Initialise it as {0}. */
struct swi_summary_lines {
    struct swi_map names;
    struct swi_summary_line *item; /* by the number of the name */
};

/* Adds the line of a value of the summary. */
void swi_summary_line_add(struct swi_summary_lines *lines, struct swi_text *text,
                          const struct sw_summary_value *summary);

/* Notes which values of the summary newer metrics hide. */
void swi_summary_lines_note(struct swi_summary_lines *lines, const struct sw_record *record);

/* Adds the lines of hidden values once more, at the end of the run. */
void swi_summary_lines_end(struct swi_summary_lines *lines, struct swi_text *text);
void swi_summary_lines_free(struct swi_summary_lines *lines);

#endif
