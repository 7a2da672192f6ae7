/* SPDX-License-Identifier: MIT */
/* table.h - the parts of the sink table. */
#ifndef SINKS_TABLE_TABLE_H
#define SINKS_TABLE_TABLE_H

#include "sinks/common/grid.h"

#include <stepwatch/sink.h>

/* plain.c: columns aligned right, one blank between, no rules. */
void swi_table_plain(struct swi_text *text, const struct swi_grid *grid);

/* view.c: the columns that a line has room for, under whole or brief headers. */
struct swi_view {
    size_t count;
    size_t column[SWI_COLUMN_COUNT];
    bool brief;
};

/* width: characters of a line. */
void swi_view_init(struct swi_view *view, const struct swi_grid *grid, size_t width);
const char *swi_view_header(const struct swi_view *view, size_t i);

/* Says which columns had no room; nothing where all are there. */
void swi_view_missing(struct swi_text *text, const struct swi_view *view,
                      const struct swi_grid *grid);

/* boxed.c: drawn by libsmartcols. False where it cannot be; then the text is as it was. */
bool swi_table_boxed(struct swi_text *text, const struct swi_grid *grid,
                     const struct swi_view *view, bool utf8, bool colour);

/* terminal.c: what the environment and a file descriptor say. */
bool swi_terminal_is(int fd);
bool swi_terminal_moves(struct sw_sink *sink, int fd);   /* the cursor can be moved on it */
bool swi_terminal_colours(struct sw_sink *sink, int fd); /* and colours are wanted: NO_COLOR */
bool swi_terminal_same(int a, int b);                    /* both are the same terminal */
bool swi_terminal_utf8(struct sw_sink *sink);
size_t swi_terminal_width(int fd); /* 80 where it does not say */

/* live.c: the line on a terminal that says how far the loop is, drawn over itself. */
struct swi_live {
    int fd; /* -1: off */
    bool moves;
    bool colours;
    bool drawn;
    int64_t interval_ns;
    int64_t drawn_ns; /* time of the record that was drawn last */
    int64_t first_ns; /* time and number of the first training step seen, for the eta */
    int64_t first_step;
    int64_t busy_ns; /* what the steps seen took */
    int64_t steps;
    bool rolling; /* rolling averages come */
    double rate;  /* samples/second that went through the phase so far; 0: not known */
};

/* mode: the option `live`. */
void swi_live_init(struct swi_live *live, struct sw_sink *sink, const char *mode,
                   int64_t interval_ns);
void swi_live_record(struct swi_live *live, const struct sw_record *record);
void swi_live_clear(struct swi_live *live);

/* Whether the rolling averages, which come every so many steps, come often enough for the line: the
 * loop need not make a record of each step then. */
bool swi_live_needs_no_steps(const struct swi_live *live, int64_t rolling_average);

#endif
