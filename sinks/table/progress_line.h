/* SPDX-License-Identifier: MIT */
/* progress_line.h - how far the loop is, as one line. */
#ifndef SINKS_TABLE_PROGRESS_LINE_H
#define SINKS_TABLE_PROGRESS_LINE_H

#include "core/text/buffer.h"
#include "sinks/table/run_progress.h"

/* What a line says. What is 0 or below is left out, but the time, the epoch and the step. */
struct swi_progress_line {
    const char *prefix; /* "stepwatch: ", or "" */
    double elapsed_s;
    int64_t epoch, step, total;
    const struct swi_shown_metric *metric;
    size_t metrics;
    double rate;    /* samples per second */
    double step_ns; /* of a step */
    double eta_s;   /* below 0: unknown */
    struct swi_shown_machine machine;
    const char *phase;
    bool utf8; /* what the terminal or the log takes */
};

/* As a line of a log: of at most `width` characters. What does not fit falls away: metrics from the
 * last one on, then the time of a step, then the rate. */
void swi_progress_line_log(struct swi_text *text, const struct swi_progress_line *line,
                           size_t width);

/* As the live line of a terminal: what falls away is the machine, the time of a step, the time so
 * far, the rate, metrics, the eta. */
void swi_progress_line_live(struct swi_text *text, const struct swi_progress_line *line,
                            size_t width);

#endif
