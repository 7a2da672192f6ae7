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

/* A log with detail: regions has no steps: a replay makes them. Then the records of the replay are
 * taken, and of the lines those that are apart, when all records have come. */
#define LOG_FITS_WANTS                                                                             \
    (SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS))
bool log_fits_needs_replay(const struct log_value *run);
bool log_fits_is_apart(const struct log_value *line);
void log_fits_record(struct log_fits *fits, const struct sw_record *record);

#endif
