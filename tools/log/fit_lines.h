/* SPDX-License-Identifier: MIT */
/* fit_lines.h - fills fits from the lines of a run log, or from the records of its replay. */
#ifndef TOOLS_LOG_FIT_LINES_H
#define TOOLS_LOG_FIT_LINES_H

#include "tools/log/log_fits.h"

#include <stepwatch/sink.h>

#include <jansson.h>
#include <stdbool.h>

/* Takes one line of the log. Unknown lines are skipped. */
void log_fits_line(struct log_fits *fits, const struct log_value *line);

/* Of a log that has regions and no steps, takes the records of its replay, which may come on
 * another thread than the lines. Some lines are kept until the records of their fit have come. */
#define LOG_FITS_WANTS                                                                             \
    (SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS))
void log_fits_record(struct log_fits *fits, const struct sw_record *record);

/* Takes the lines that were kept. Call it when all lines and records have come. */
void log_fits_finish(struct log_fits *fits);

#endif
