/* SPDX-License-Identifier: MIT */
/* whole_lines.h - how far the loop is, as lines of a log: for what is no terminal. */
#ifndef SINKS_TABLE_WHOLE_LINES_H
#define SINKS_TABLE_WHOLE_LINES_H

#include "sinks/table/run_progress.h"
#include "sinks/table/progress_times.h"

/* Columns of a line, at most; and lines that are remembered for the eta. */
enum { SWI_LOG_WIDTH = 120, SWI_LINE_POINTS = 64 };

struct swi_line_point {
    int64_t time_ns, done;
};

struct swi_whole_lines {
    int fd; /* -1: off */
    bool utf8;
    struct swi_progress_times times;
    int64_t steps, samples, valid_ns; /* of the progress, at the last line */
    size_t count;                     /* of points: where the lines were */
    struct swi_line_point point[SWI_LINE_POINTS];
};

void swi_whole_lines_init(struct swi_whole_lines *lines, int fd, int64_t interval_ns, bool utf8);

/* Writes a line if one is due. */
void swi_whole_lines_take(struct swi_whole_lines *lines, const struct swi_run_progress *progress,
                          bool epoch_ended);

/* Writes the last line of a fit, if there was any. how: "done", for one. */
void swi_whole_lines_end(struct swi_whole_lines *lines, const struct swi_run_progress *progress,
                         const char *how);

#endif
