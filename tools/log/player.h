/* SPDX-License-Identifier: MIT */
/* player.h - passes the lines of a run log to a profiler under the recorded clock. */
#ifndef TOOLS_LOG_PLAYER_H
#define TOOLS_LOG_PLAYER_H

#include "tools/log/log_lines.h"
#include "tools/log/value_line.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

/* In the order in which the log names them. Initialise it as {0}. */
enum { PLAYED_COUNTERS = 80 };
struct played_counters {
    size_t count;
    struct {
        int number; /* of the profiler; negative: it has no room for it */
        enum sw_counter_kind kind;
        int64_t read; /* in regions of the loop since the last fit, epoch, train or valid */
    } item[PLAYED_COUNTERS];
    bool of_marks; /* a window has ended: fit, epoch, train and valid count from one another on */
};

/* The reports that a run wrote to its log, for a log that has only results: no report can be made
 * from it again. Initialise it as {0}. */
struct played_reports {
    size_t count;   /* of reports that were passed on */
    int64_t fit;    /* whose findings these are */
    int64_t logged; /* the fit of the newest of them */
    struct kept_lines findings;
};

/* The threads of the fits that the log has whole, and what other threads did before such a thread
 * begins its fit. Initialise it as {0}. */
struct played_loops {
    size_t count, fit; /* fits that are known; that were played */
    int *thread;       /* of each; -1: not known */
    bool begun;        /* the loop of the next one has */
    struct kept_lines held;
};

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

/* Steps in turn whose lines differ only in their numbers. The first of them is played by itself,
 * since it may be the first of its phase, and the others as one. */
struct alike_steps {
    bool wanted;            /* only how often actions were called is of interest, not how long */
    struct log_value *line; /* the newest of them; NULL: there is none */
    int64_t count;          /* how many were not played yet */
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
    bool reported;                   /* the report of an interrupted run was read */
    int loop;                        /* the thread that began the fit */
    const struct log_value *fields;  /* of the step that is played, or of what ran in its draws */
    const struct log_value *in_draw; /* of the current step: what ran in its draws; NULL: nothing */
    int64_t in_draws_ns;             /* how much of its draws is left that was in these actions */
    bool in_batch;                   /* what ran in the batch, or in the draw, is played */
    bool inner;                      /* calls inside others of the same action are played */
    int64_t steps;                   /* whose sums the step has */
    struct alike_steps alike;
    bool cut_off;      /* another program truncated the log while it was written */
    unsigned open;     /* open actions of fit, epoch, train and valid, as bits */
    bool made_valid;   /* a valid is open that the log does not have */
    int64_t valid_end; /* where it ends: the end of its last step */
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
    struct played_loops loops;
};

/* Sets the player's clock in the profiler. started: the recorded wall clock. */
void player_init(struct player *player, struct sw_profiler *sw, double started);

/* Plays one line. Skips lines that the profiler makes itself and unknown lines. Returns 0,
 * SW_EFORMAT or SW_ENOMEM. */
int player_play(struct player *player, const struct log_value *line, struct sw_error *err);

/* Ends the log: logs values that still wait, and ends a fit that the run did not end. */
void player_end(struct player *player);

/* Frees what the player owns. */
void player_fini(struct player *player);

/* ---- values that wait ------------------------------------------------------------------------ */

/* Values of the user wait for the end of their step, as the program logged them before it. */

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

/* ---- what the lines say ---------------------------------------------------------------------- */

/* Play a line. Return 0, SW_EFORMAT or SW_ENOMEM. */
int played_region(struct player *player, const struct log_value *line, struct sw_error *err);
/* Plays the regions that wait until the loop has begun. */
int played_regions_held(struct player *player, struct sw_error *err);
int played_step(struct player *player, const struct log_value *line, struct sw_error *err);
/* Plays the steps that wait to be played as one. Call it before any other line than a step or a
 * metric. */
int played_alike_end(struct player *player, struct sw_error *err);
int played_span_begin(struct player *player, const struct log_value *line, struct sw_error *err);
int played_report(struct played_reports *played, struct sw_profiler *sw,
                  const struct log_value *line, struct sw_error *err);
void played_span_end(struct player *player, const struct log_value *line);

/* Keeps a line `finding` for the report of its fit. */
void played_finding(struct played_reports *played, const struct log_value *line);
void played_reports_fini(struct played_reports *played);

/* Ends a validation that the log does not begin, unless the line is its own. line may be NULL. */
void played_valid_end(struct player *player, const struct log_value *line);

/* Ends an action. samples: of a batch. shape: NULL if it has none. */
void played_end(struct player *player, const char *action, const char *shape, int64_t samples);

/* Returns the action's handle. shape: NULL if it has none. */
int played_handle(struct player *player, const char *action, const char *shape);

/* Return the counter that a line names, and a value: SW_COUNTER_NONE if it is not a number. */
struct sw_counter_info counter_of(const struct log_value *line);
int64_t counter_value(const struct log_value *value);

/* Adds the counter that a line names. */
void counters_name(struct played_counters *counters, struct sw_profiler *sw,
                   const struct log_value *line);

/* Plays only by how much the counters went up until the line of a region: the use is of the region
 * around it. */
void played_reading(struct player *player, const struct log_value *line);

#endif
