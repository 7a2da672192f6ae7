/* SPDX-License-Identifier: MIT */
/* file_lines.h - converts records to lines of the service's files. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_FILE_LINES_H
#define SINKS_WANDB_UPLOAD_CONTENT_FILE_LINES_H

#include "core/text/buffer.h"
#include "sinks/wandb/file/reader.h"
#include "sinks/wandb/values/fields.h"

#include <stdint.h>
#include <stdio.h>

/* The longest line that the service accepts. */
enum { SWI_LINE_MAX = SWI_ROW_MAX };

/* Lines of one file that were not sent yet. */
struct swi_lines {
    int64_t next;         /* line number at the service of the first line that waits */
    int64_t skip;         /* how many of the lines that come are stored already */
    int64_t count;        /* how many lines wait */
    struct swi_text json; /* these lines, as JSON strings separated by commas */
};

/* Notes that the waiting lines were stored. */
void swi_lines_sent(struct swi_lines *lines);

/* The numbering of rows. */
struct swi_steps {
    int64_t start;    /* the first free step at the service */
    int64_t shift;    /* added to the file's own steps */
    int64_t last;     /* of the newest row, or -1 */
    bool fixed;       /* the shift is known from a stored row */
    bool begun;       /* a row was numbered that is not stored */
    double runtime_s; /* of earlier processes; added to each row's own */
};

/* Returns a time in seconds. without: if there is none. */
double swi_line_time(const struct swi_timestamp_message *stamp, double without);

/* Returns the step in a row, or -1. */
int64_t swi_line_step(const struct swi_history_message *history);

/* Adds a row of the history, or only counts the step of one that is stored already. Returns false
 * if it is too long. */
bool swi_line_history(struct swi_lines *lines, struct swi_steps *steps,
                      const struct swi_history_message *history, bool stored);
/* Adds a row of the system metrics. started_s: the begin of its run time. */
void swi_line_stats(struct swi_lines *lines, const struct swi_stats_message *stats,
                    double started_s);

/* Output that is being split into lines. */
struct swi_console {
    struct swi_text rest; /* a line without its end yet */
    bool error;           /* the rest is of standard error; it was printed at: */
    int64_t seconds;
    int32_t nanos;
    bool structured; /* convert lines to JSON, for newer servers */
    FILE *whole;     /* receives all lines unchanged; or NULL */
};

/* Adds the complete lines of a piece of output. The part of a line before a carriage return was
 * overwritten on the terminal and is left out. */
void swi_line_output(struct swi_lines *lines, struct swi_console *output,
                     const struct swi_output_raw_message *record);
/* Adds the last line, which has no end. */
void swi_line_output_end(struct swi_lines *lines, struct swi_console *output);

#endif
