/* SPDX-License-Identifier: MIT */
/* log_fits.h - the fits of a run log in the form that the rules judge (core/advice/). Lines may
 * come while the log is still being written; judge as often as you like in between. */
#ifndef TOOLS_LOG_LOG_FITS_H
#define TOOLS_LOG_LOG_FITS_H

#include "core/advice/advice.h"

#include <stepwatch/error.h>
#include <stepwatch/sink.h>

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

/* A log with detail: regions has no steps: a replay makes them. Then the records of the replay are
 * taken, and of the lines those that are apart, when all records have come. */
#define LOG_FITS_WANTS                                                                             \
    (SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS))
bool log_fits_needs_replay(const json_t *run);
bool log_fits_is_apart(const json_t *line);
void log_fits_record(struct log_fits *fits, const struct sw_record *record);

/* Gets the input of the rules for fit i so far, borrowed until the next line. Returns false if it
 * has no training step. */
bool log_fits_advised(struct log_fits *fits, size_t i, struct swi_advised *advised);

void log_fits_free(struct log_fits *fits);

#endif
