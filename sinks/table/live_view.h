/* SPDX-License-Identifier: MIT */
/* live_view.h - shows the progress of the loop: as a line on a terminal, redrawn in place, or as
 * lines of a log. */
#ifndef SINKS_TABLE_LIVE_VIEW_H
#define SINKS_TABLE_LIVE_VIEW_H

#include "core/text/buffer.h"
#include "sinks/table/run_progress.h"
#include "sinks/table/whole_lines.h"

#include <stepwatch/sink.h>

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

#endif
