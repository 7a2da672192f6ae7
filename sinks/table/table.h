/* SPDX-License-Identifier: MIT */
/* table.h - the parts of the sink table. */
#ifndef SINKS_TABLE_H
#define SINKS_TABLE_H

#include "sinks/common/grid.h"
#include "sinks/common/text.h"

#include <stepwatch/sink.h>

/* Plain form: columns aligned right, one blank between, no rules. */
void table_plain(struct text *text, const struct grid *grid);

/* Boxed form, drawn by libsmartcols; returns false where it cannot be (then the plain form is
 * used). */
bool table_boxed(struct text *text, const struct grid *grid, bool utf8);

/* The line that shows, on a terminal and while the loop runs, how far it is. */
struct live {
    FILE *stream; /* NULL: off */
    int64_t interval_ns;
    int64_t shown_ns; /* when it was drawn last, run time */
    size_t width;     /* columns that it takes; 0: nothing is drawn */
    bool colour;
    int64_t first_step; /* where the eta is counted from */
    int64_t first_ns;
    double samples_per_s;
    bool known;
};

/* mode: "auto" (a terminal), "on" or "off". */
void live_init(struct live *live, const char *mode, int64_t interval_ns);
void live_step(struct live *live, const struct sw_record *record);
void live_metrics(struct live *live, const struct sw_record *record);
void live_clear(struct live *live);

#endif
