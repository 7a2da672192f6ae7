/* SPDX-License-Identifier: MIT */
/* table_sink.h - what the sink table is made of: the progress of the loop, as a line on a terminal,
 * redrawn in place, or as lines of a log; and tables of a report. */
#ifndef SINKS_TABLE_TABLE_SINK_H
#define SINKS_TABLE_TABLE_SINK_H

#include "core/text/buffer.h"
#include "sinks/common/grid.h"

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stdint.h>

/* ---- run_progress.c -------------------------------------------------------------------------- */

/* Metrics that are shown, at most. */
enum { SWI_SHOWN_METRICS = 3, SWI_METRIC_NAME = 64 };

struct swi_shown_metric {
    char name[SWI_METRIC_NAME];
    uint64_t order; /* the smaller, the sooner it is shown */
    double value;   /* the newest */
};

/* What monitors said last of the process and its GPUs. 0: nothing. */
struct swi_shown_machine {
    double cpu_percent;
    int64_t rss_bytes;
    double gpu_percent; /* the mean of all GPUs */
};

struct swi_run_progress {
    const char *const *chosen; /* names of the metrics to show; NULL: the ones that matter most */
    int64_t time_ns;           /* of the newest record, since the run's start */
    int64_t epoch;             /* from 0 */
    int64_t done;              /* training steps */
    int64_t expected;          /* 0: unknown */
    bool validating;
    int64_t first_ns; /* time and number of the first step that was seen */
    int64_t first_done;
    bool begun;
    double rate; /* samples per second of the phase so far; 0: unknown */

    /* While steps come: those of training, and their samples. */
    int64_t steps, samples;
    int64_t valid_begun_ns; /* -1: no validation is open */
    int64_t valid_ns;       /* that validations took which have ended */

    struct swi_shown_machine machine;
    size_t metric_count;
    uint64_t metrics_seen;
    struct swi_shown_metric metric[SWI_SHOWN_METRICS];
};

/* chosen: the option `metrics`. */
void swi_progress_init(struct swi_run_progress *progress, const char *const *chosen);

/* Takes a record. Returns whether an epoch has ended. */
bool swi_progress_take(struct swi_run_progress *progress, const struct sw_record *record);

/* Time in validation so far. */
int64_t swi_progress_valid_ns(const struct swi_run_progress *progress);

/* In place of an interval: after 10 s, 30 s, 1, 2, 5 and 10 minutes, then every 10 minutes, and at
 * the ends of epochs in between. */
#define SWI_PROGRESS_AUTO INT64_C(-1)

struct swi_progress_times {
    int64_t interval_ns; /* 0: only the end of each epoch */
    int64_t due_ns;      /* the next line */
    int64_t last_ns;     /* of the last line; 0 before the first */
};

void swi_progress_times_init(struct swi_progress_times *times, int64_t interval_ns);

/* Returns whether a line is due at a time, which does not go back, or at an epoch's end then. It
 * counts as written if it is. */
bool swi_progress_due(struct swi_progress_times *times, int64_t now_ns, bool epoch_ended);

/* ---- progress_line.c ------------------------------------------------------------------------- */

/* What a line says. What is 0 or below is left out, but the time, the epoch and the step. */
struct swi_progress_line {
    const char *prefix; /* "stepwatch: ", or "" */
    double elapsed_s;
    int64_t epoch, step, total;
    const struct swi_shown_metric *metric;
    size_t metrics;
    double rate;    /* samples per second */
    double step_ns; /* of a step */
    double eta_s;   /* below 0: unknown */
    struct swi_shown_machine machine;
    const char *phase;
    bool utf8; /* what the terminal or the log takes */
};

/* As a line of a log: of at most `width` characters. What does not fit falls away: metrics from the
 * last one on, then the time of a step, then the rate. */
void swi_progress_line_log(struct swi_text *text, const struct swi_progress_line *line,
                           size_t width);

/* As the live line of a terminal: what falls away is the machine, the time of a step, the time so
 * far, the rate, metrics, the eta. */
void swi_progress_line_live(struct swi_text *text, const struct swi_progress_line *line,
                            size_t width);

/* ---- whole_lines.c --------------------------------------------------------------------------- */

/* Columns of a line, at most; and lines that are remembered for the eta. */
enum { SWI_LOG_WIDTH = 120, SWI_LINE_POINTS = 64 };

struct swi_line_point {
    int64_t time_ns, done;
};

struct swi_whole_lines {
    int fd; /* -1: off */
    bool utf8;
    struct swi_progress_times times;
    int64_t steps, samples, valid_ns; /* of the progress, at the last line */
    size_t count;                     /* of points: where the lines were */
    struct swi_line_point point[SWI_LINE_POINTS];
};

void swi_whole_lines_init(struct swi_whole_lines *lines, int fd, int64_t interval_ns, bool utf8);

/* Writes a line if one is due. */
void swi_whole_lines_take(struct swi_whole_lines *lines, const struct swi_run_progress *progress,
                          bool epoch_ended);

/* Writes the last line of a fit, if there was any. how: "done", for one. */
void swi_whole_lines_end(struct swi_whole_lines *lines, const struct swi_run_progress *progress,
                         const char *how);

/* ---- live_view.c ----------------------------------------------------------------------------- */

/* The last row of a terminal, taken out of what scrolls: a line there is apart from all that the
 * program prints. */
struct swi_last_row {
    int rows; /* of the terminal, when the row was taken; 0: it is not taken */
    int columns;
};

enum swi_live_kind {
    SWI_LIVE_OFF,
    SWI_LIVE_LINE,  /* at the cursor */
    SWI_LIVE_ROW,   /* on the last row, which does not scroll */
    SWI_LIVE_LINES, /* of a log */
    SWI_LIVE_SHY    /* as a log, until the program prints with sw_print(); then at the cursor */
};

/* What the configuration says of it. */
struct swi_live_options {
    const char *mode; /* the option `live` */
    int64_t interval_ns;
    const char *progress; /* auto, or a duration */
    const char *const *metrics;
    bool title;
};

struct swi_live_view {
    enum swi_live_kind kind;
    int fd;
    struct sw_sink *sink;
    bool moves;
    bool colours;
    bool utf8;
    bool title;
    bool titled; /* the window has a title of ours */
    bool drawn;
    int64_t interval_ns;
    int64_t drawn_ns; /* time of the record that was drawn last */
    int64_t busy_ns;  /* what the steps seen took */
    int64_t steps;
    bool rolling; /* rolling averages come */
    struct swi_run_progress progress;
    struct swi_whole_lines lines;
    struct swi_last_row row;
};

/* The interval of lines from the option `progress`, or SWI_PROGRESS_AUTO; false if it is wrong. */
bool swi_live_view_interval(const char *progress, int64_t *ns, struct sw_error *err);

void swi_live_view_init(struct swi_live_view *live, struct sw_sink *sink,
                        const struct swi_live_options *options);
void swi_live_view_record(struct swi_live_view *live, const struct sw_record *record);

/* Wipes it, before something else is printed. */
void swi_live_view_clear(struct swi_live_view *live);

/* The same at the end of a fit, whose time counts for the last line. */
void swi_live_view_end(struct swi_live_view *live, int64_t time_ns, bool interrupted);

/* Gives the terminal back. */
void swi_live_view_fini(struct swi_live_view *live);

/* Returns whether the rolling averages, which come every so many steps, come often enough for the
 * line: the loop need not make a record of each step then. */
bool swi_live_view_needs_no_steps(const struct swi_live_view *live, int64_t rolling_average);

/* What the environment and a descriptor say of a terminal. */
bool swi_terminal_is(int fd);
bool swi_terminal_colours(struct sw_sink *sink, int fd); /* and NO_COLOR does not forbid colours */
bool swi_terminal_utf8(struct sw_sink *sink);

/* What COLUMNS says of the width; 0: nothing. */
size_t swi_terminal_columns(struct sw_sink *sink);
/* That, or what the terminal says; 80 where it does not. */
size_t swi_terminal_width(struct sw_sink *sink, int fd);

/* ---- boxed_table.c --------------------------------------------------------------------------- */

struct swi_fitted_columns {
    size_t count;
    size_t *column; /* of the grid */
    bool brief;
};

/* Draws it in a box. Returns false if out of memory; then the text is as it was. */
bool swi_boxed_table(struct swi_text *text, const struct swi_grid *grid,
                     const struct swi_fitted_columns *view, bool utf8, bool colour);

/* width: characters of a line. False if out of memory; swi_fitted_columns_fini() is due in any
 * case. */
bool swi_fitted_columns_init(struct swi_fitted_columns *view, const struct swi_grid *grid,
                             enum swi_columns chosen, size_t width);

void swi_fitted_columns_fini(struct swi_fitted_columns *view);

/* Says which columns had no room; nothing where all are there. */
void swi_fitted_columns_missing(struct swi_text *text, const struct swi_fitted_columns *view,
                                const struct swi_grid *grid);

#endif
