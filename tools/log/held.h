/* SPDX-License-Identifier: MIT */
/* held.h - what a log lacks of its run: by what its sink could not take, and by its own reports. */
#ifndef TOOLS_LOG_HELD_H
#define TOOLS_LOG_HELD_H

#include <stepwatch/report.h>
#include <stepwatch/sink.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct held {
    bool steps_only; /* the log has detail: steps */
    size_t outside;  /* rows of regions outside of steps, which such a log never has */
    char outside_first[80];
    struct sw_lost lost;        /* the sink was too slow for it: lines `lost` */
    int64_t steps, lacks_steps; /* of the run's reports, and how many of them are not in the log */
    size_t lacks_rows;          /* other rows of which the log has fewer calls */
    char row_first[80]; /* the first of them, and its calls: in the report, and in the log */
    int64_t row_calls, row_found;
};

/* Looks at one line of the log; the first says its detail. */
void held_line(struct held *held, const json_t *line);

/* Holds a line `report` against what was made of the log up to there. rows: also its rows, which by
 * other options than the run's would differ. */
void held_report(struct held *held, const json_t *line, const struct sw_report *made, bool rows);

/* Whether a row of the run's report can be made again from the log. */
bool held_row(const struct held *held, const char *phase, const char *action);

/* Says on stderr what the log lacks, if anything: of the steps and what is in them, and of the
 * rest. */
void held_say_lacking(const struct held *held, const char *path);
void held_say_outside(const struct held *held, const char *path);

/* For --json: an object of the log's `lost` and `lacks`. */
json_t *held_lost_json(const struct held *held);
json_t *held_lacks_json(const struct held *held);

#endif
