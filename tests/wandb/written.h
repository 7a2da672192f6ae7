/* SPDX-License-Identifier: MIT */
/* written.h - a run's folder as the sink writes it, for tests of what uploads it. */
#ifndef TESTS_WANDB_WRITTEN_H
#define TESTS_WANDB_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

/* How its rows are numbered, and how it ends. */
struct written {
    const char *id;
    int rows;
    int64_t step;  /* of the first row */
    double wall_s; /* of it; each one later by a second */
    bool torn;     /* no exit record */
    bool bare;     /* no summary, output or file */
    int long_row;  /* the number of a row that is longer than the service takes; 0: none */
    int alerts;    /* "alert 1" and so on, each behind a row */
    int exit_code;
    bool goes_on;            /* the exit record says that the run does */
    bool preempting;         /* behind its first row, that it may be suspended */
    const char *group, *tag; /* may be NULL */
    const char *renamed;     /* what a second record of the run behind its first row calls it; or
                                NULL */
};

/* Makes FOLDER with run-ID.wandb: config lr 0.5, rows with loss 1/(i+1), one row of statistics for
 * ten of the history, two lines of output, a table, output.log, a summary. Relative to the working
 * directory. */
void written_make(const char *folder, const struct written *run);

#endif
