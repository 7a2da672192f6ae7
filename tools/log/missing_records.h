/* SPDX-License-Identifier: MIT */
/* missing_records.h - what is missing in a log, according to its sink and its own reports, and
 * what only these know: misuses, and the memory of the process. */
#ifndef TOOLS_LOG_MISSING_RECORDS_H
#define TOOLS_LOG_MISSING_RECORDS_H

#include "tools/log/log_value.h"

#include <stepwatch/report.h>
#include <stepwatch/sink.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct held {
    bool steps_only; /* the log has detail: steps */
    size_t outside;  /* rows of regions outside of steps, which such a log never has */
    char outside_first[80];
    struct sw_lost lost; /* lines `lost`: the sink was too slow */
    int64_t steps,
        lacks_steps;    /* steps in the run's reports, and how many of them are not in the log */
    int64_t thinned;    /* steps that the log has as sums of several */
    size_t lacks_rows;  /* other rows that have fewer calls in the log */
    char row_first[80]; /* the first of them, and its calls in the report and in the log */
    int64_t row_calls, row_found;
};

/* Looks at one line of the log. The first one has its detail. */
void held_line(struct held *held, const struct log_value *line);

/* Compares a line `report` with the report made from the log so far. whole: compare its rows too,
 * which would differ if the options are not the run's. */
void held_report(struct held *held, const struct log_value *line, const struct sw_report *made,
                 bool whole);

/* Returns whether a row of the run's report can be made from the log. */
bool held_row(const struct held *held, const char *phase, const char *action);

/* Returns whether some calls of a row may lie outside of steps, which such a log does not have: it
 * is of an own action. */
bool held_maybe_outside(const struct held *held, const char *phase, const char *action);

/* Returns whether its self time can be made, too. */
bool held_self(const struct held *held, const char *phase, const char *action);

/* Print to stderr what the log lacks, if anything: steps and what is in them, and the rest. */
void held_say_lacking(const struct held *held, const char *path);
void held_say_outside(const struct held *held, const char *path);

/* Return objects of the log's `lost` and `lacks` for --json. */
json_t *held_lost_json(const struct held *held);
json_t *held_lacks_json(const struct held *held);

struct misuses {
    char text[1024]; /* "forward was ended without a begin: 2; …", of all fits */
    size_t size;     /* used bytes */
    size_t before;   /* bytes before the last reported fit */
    int64_t fit;
    int64_t rss_bytes, peak_rss_bytes; /* of the last report; 0: it does not say it */
    bool memory_shown;                 /* in the output, so it is not printed */
};

/* Looks at one line of the log. */
void misuses_line(struct misuses *misuses, const struct log_value *line);

/* Prints the misuse and the memory of the process to stderr, if the log has them. */
void misuses_say(const struct misuses *misuses, const char *path);

#endif
