/* SPDX-License-Identifier: MIT */
/* log_fits.h - converts the fits of a run log to the form that the rules judge (core/advice/). The
 * log may still be growing, and the fits may be judged at any time in between. */
#ifndef TOOLS_EXPLAIN_LOG_FITS_H
#define TOOLS_EXPLAIN_LOG_FITS_H

#include "core/advice/advice.h"

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>

/* One fit while its log is being read. */
struct log_fit {
    struct swi_advised advised; /* without what log_fits_advised() fills in */
    size_t room;                /* for steps */
    double begin_ns, end_ns, seen_ns;
    bool ended;
    double spent_ns; /* of all steps */
    double valid_begin_ns;
    bool in_valid;
    double last_end_ns;                 /* of the step before; negative if there is none */
    bool first;                         /* the next step is the first of its epoch */
    json_t *report;                     /* the run's own, or NULL */
    json_t *ranks;                      /* the report of all ranks, or NULL */
    struct swi_advised_ranks straggler; /* of that report */
};

/* Initialise it as {0}. */
struct log_fits {
    size_t count;
    struct log_fit *fit;
    bool drop_first;
    char *gpu;
    bool failed; /* out of memory */
};

/* Takes one line of the log. Unknown lines are skipped. */
void log_fits_line(struct log_fits *fits, const json_t *line);

/* Take the begins and ends of a replay instead. Then log_fits_line() gets only the lines `run`,
 * `report` and `ranks`. train, samples and parts are as in a line `step`. */
void log_fits_begin(struct log_fits *fits, const char *action, double t_ns);
void log_fits_end(struct log_fits *fits, const char *action, double t_ns);
void log_fits_metric(struct log_fits *fits, const char *name, double t_ns, double value);

/* A step: add its parts one by one, then end it. */
struct log_step {
    struct log_fit *fit; /* NULL if it does not count */
    bool train, has_batch;
    double draw_ns, batch_ns;
};
struct log_step log_fits_step(struct log_fits *fits, bool train);
void log_step_part(struct log_fits *fits, struct log_step *step, const char *action, double ns);
/* samples: -1 if it was cancelled. */
void log_step_end(struct log_fits *fits, struct log_step *step, int64_t number, int64_t samples,
                  double t_ns);

/* Gets the input of the rules for fit i so far, borrowed until the next line. Returns false if it
 * has no training step. */
bool log_fits_advised(struct log_fits *fits, size_t i, struct swi_advised *advised);

void log_fits_free(struct log_fits *fits);

#endif
