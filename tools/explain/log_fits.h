/* SPDX-License-Identifier: MIT */
/* log_fits.h - the fits of a run log in the form that the rules judge (core/advice/). Lines may
 * come while the log is still being written; judge as often as you like in between. */
#ifndef TOOLS_EXPLAIN_LOG_FITS_H
#define TOOLS_EXPLAIN_LOG_FITS_H

#include "core/advice/advice.h"

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>

/* One fit while its log is read. */
struct log_fit {
    struct swi_advised advised; /* but for what log_fits_advised() fills in */
    size_t room;                /* for steps */
    double begin_ns, end_ns, seen_ns;
    bool ended;
    double spent_ns; /* of all steps */
    double valid_begin_ns;
    bool in_valid;
    double last_end_ns;                 /* of the step before; negative: there is none */
    bool first;                         /* the next step is the first of its epoch */
    json_t *report;                     /* the run's own; NULL: none */
    json_t *ranks;                      /* the report of all ranks; NULL: none */
    struct swi_advised_ranks straggler; /* of it */
};

/* Begins as {0}. */
struct log_fits {
    size_t count;
    struct log_fit *fit;
    bool drop_first;
    char *gpu;
    bool failed; /* no memory */
};

/* Takes one line of the log: what it does not know it passes over. */
void log_fits_line(struct log_fits *fits, const json_t *line);

/* The same for what a replay makes of begins and ends: log_fits_line() then gets the lines `run`,
 * `report` and `ranks` alone. train, samples and parts as in a line `step`. */
void log_fits_begin(struct log_fits *fits, const char *action, double t_ns);
void log_fits_end(struct log_fits *fits, const char *action, double t_ns);
void log_fits_metric(struct log_fits *fits, const char *name, double t_ns, double value);

/* A step: its parts are added one by one, then it is ended. */
struct log_step {
    struct log_fit *fit; /* NULL: it does not count */
    bool train, has_batch;
    double draw_ns, batch_ns;
};
struct log_step log_fits_step(struct log_fits *fits, bool train);
void log_step_part(struct log_fits *fits, struct log_step *step, const char *action, double ns);
/* samples -1: it was cancelled. */
void log_step_end(struct log_fits *fits, struct log_step *step, int64_t number, int64_t samples,
                  double t_ns);

/* What the rules judge: of fit i as far as it is known; borrowed until the next line. False if it
 * has no step of training. */
bool log_fits_advised(struct log_fits *fits, size_t i, struct swi_advised *advised);

void log_fits_free(struct log_fits *fits);

#endif
