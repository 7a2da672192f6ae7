/* SPDX-License-Identifier: MIT */
/* player.h - passes the lines of a run log to a profiler under the recorded clock. */
#ifndef TOOLS_LOG_PLAYER_H
#define TOOLS_LOG_PLAYER_H

#include "tools/log/log_lines.h"
#include "tools/log/played_counters.h"
#include "tools/log/played_report.h"
#include "tools/log/value_line.h"

#include <stepwatch/stepwatch.h>

/* A value of the user's that waits for the end of its step. */
struct waiting {
    char *name;
    double value;
    int64_t step, t;
    struct log_value *line; /* of another value; NULL: a number */
};

/* An action whose handle is known. */
struct played_action {
    char name[28]; /* "": none */
    int handle;
};

/* An open span. */
struct played_span {
    int64_t logged; /* its id in the log */
    int64_t id;     /* its id in the replay */
};

struct player {
    struct sw_profiler *sw;
    int64_t now; /* ns since the start of the run */
    int64_t end; /* the latest t of the log */
    long lines;
    bool begun;       /* the first line `run` was played, which says what the log has */
    bool finished;    /* the run ended normally: there is a line `finish` */
    bool interrupted; /* it ended, but without sw_close() */
    bool in_fit;
    bool reported;                  /* the report of an interrupted run was read */
    int loop;                       /* the thread that began the fit */
    const struct log_value *shapes; /* of the current step; NULL: none */
    const char *shape;              /* of the region that is made next; NULL: none */
    const struct log_value *inner;  /* of the current step: durations of calls inside others */
    const struct log_value *self; /* of the current step: self times of calls with others inside */
    const struct log_value *inner_self; /* the same of calls inside others */
    bool making_inner;                  /* such a call is played */
    const struct log_value *in_draw; /* of the current step: what ran in its draws; NULL: nothing */
    bool cut_off;                    /* another program truncated the log while it was written */
    unsigned open;                   /* open actions of fit, epoch, train and valid, as bits */
    bool made_valid;                 /* a valid is open that the log does not have */
    int64_t valid_end;               /* where it ends: the end of its last step */
    size_t waiting_count;
    struct waiting *waiting;
    size_t sample_count; /* values of one sample of monitors, which come line by line */
    char **sample_name;
    double *sample_value;
    int64_t sample_t;
    int64_t sample_step;
    struct played_action known[64]; /* by log_key_mark(): names come again and again */
    size_t span_count;
    struct played_span *span;
    struct played_values values;
    struct played_counters counters;
    bool passes_reports;                    /* take only the reports of a log that has more */
    bool results_only;                      /* the log has reports, and nothing to make them from */
    bool (*wants_metric)(const char *name); /* whether to play it; NULL: all are */
    struct played_reports reports;
};

/* Sets the player's clock in the profiler. started: the recorded wall clock. */
void player_init(struct player *player, struct sw_profiler *sw, double started);

/* Sets where the log is: values are in files beside it. */
void player_beside(struct player *player, const char *path);

/* Plays one line. Skips lines that the profiler makes itself and unknown lines. Returns 0,
 * SW_EFORMAT or SW_ENOMEM. */
int player_play(struct player *player, const struct log_value *line, struct sw_error *err);

/* Ends the log: logs values that still wait, and ends a fit that the run did not end. */
void player_end(struct player *player);

/* Frees what the player owns. */
void player_fini(struct player *player);

/* ---- values that wait ------------------------------------------------------------------------ */

/* Values of the user wait for the end of their step, as the program logged them before it; those of
 * a sample of monitors wait for each other. */

/* Plays a metric, or an alert or any other value. One of a step that has not ended waits for its
 * end; others belong to the last step. Return 0, SW_EFORMAT or SW_ENOMEM. */
int waiting_values_metric(struct player *player, const struct log_value *line,
                          struct sw_error *err);
int waiting_values_rich(struct player *player, const struct log_value *line, struct sw_error *err);

/* Logs the values that wait for a step up to this one. */
void waiting_values_log(struct player *player, int64_t step);

/* Logs those of steps that the log does not have. */
void waiting_values_log_rest(struct player *player);

void waiting_values_fini(struct player *player);

/* Returns whether a metric is part of a sample. */
bool played_sample_is(const struct log_value *line);

/* Returns whether the line has one more value of the sample that waits. */
bool played_sample_continues(const struct player *player, const struct log_value *line);

/* Adds a value to the sample. Returns 0 or SW_ENOMEM. */
int played_sample_add(struct player *player, const struct log_value *line, struct sw_error *err);

/* Logs the sample whose lines have come, at its time. */
void played_sample_log(struct player *player);

void played_sample_fini(struct player *player);

#endif
