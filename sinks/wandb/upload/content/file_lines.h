/* SPDX-License-Identifier: MIT */
/* file_lines.h - records as lines of the service's files, each at its place: a line has the same
 * number whenever and however often the file is read, so that it is stored once. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_FILE_LINES_H
#define SINKS_WANDB_UPLOAD_CONTENT_FILE_LINES_H

#include "sinks/wandb/file/reader.h"

#include <stdio.h>

/* The longest line that the service takes. */
enum { SWI_LINE_MAX = 10383360 };

/* Lines of one file that were not sent yet. */
struct swi_lines {
    int64_t base;         /* at the service: of the first line that this process made */
    int64_t known;        /* so many of ours are stored */
    int64_t index;        /* of the next one, from the first of ours */
    int64_t first;        /* index of the first that waits */
    int64_t count;        /* how many wait */
    struct swi_text json; /* those, as JSON strings with commas between */
};

/* What waits was stored. */
void swi_lines_sent(struct swi_lines *lines);
void swi_lines_free(struct swi_lines *lines);

/* How rows are numbered. */
struct swi_steps {
    int64_t start;    /* the first step that is free at the service */
    int64_t shift;    /* added to the file's own steps */
    int64_t last;     /* of the newest row; -1: none yet */
    bool fixed;       /* the shift is known: by a row that is stored */
    bool begun;       /* a row was numbered that was not stored */
    double runtime_s; /* of earlier processes, added to each row's own */
};

/* The step that a row says it has; -1: none that is one. */
int64_t swi_line_step(const SwiWandb__History *history);

/* A row of the history; false if it is longer than is taken. */
bool swi_line_history(struct swi_lines *lines, struct swi_steps *steps,
                      const SwiWandb__History *history);
/* A row of the system metrics. started_s: from which on its run time counts. */
void swi_line_stats(struct swi_lines *lines, const SwiWandb__Stats *stats, double started_s);

/* What was printed, on its way to become lines. */
struct swi_console {
    struct swi_text rest; /* without the end of its line */
    bool error;           /* of standard error, the rest; and when it was printed: */
    int64_t seconds;
    int32_t nanos;
    bool structured; /* lines become JSON, which newer servers ask for */
    FILE *whole;     /* gets all lines as they are; or NULL */
};

/* A piece of output: adds its whole lines. What a line has in front of a carriage return was
 * overwritten on the terminal, and is left out. */
void swi_line_output(struct swi_lines *lines, struct swi_console *output,
                     const SwiWandb__OutputRaw *record);
/* Adds what was printed last, without the end of its line. */
void swi_line_output_end(struct swi_lines *lines, struct swi_console *output);

#endif
