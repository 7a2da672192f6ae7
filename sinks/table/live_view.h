/* SPDX-License-Identifier: MIT */
/* live_view.h - the line on a terminal that says how far the loop is, drawn over itself. */
#ifndef SINKS_TABLE_LIVE_VIEW_H
#define SINKS_TABLE_LIVE_VIEW_H

#include <stepwatch/sink.h>

struct swi_live_view {
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
void swi_live_view_init(struct swi_live_view *live, struct sw_sink *sink, const char *mode,
                        int64_t interval_ns);
void swi_live_view_record(struct swi_live_view *live, const struct sw_record *record);
void swi_live_view_clear(struct swi_live_view *live);

/* Whether the rolling averages, which come every so many steps, come often enough for the line: the
 * loop need not make a record of each step then. */
bool swi_live_view_needs_no_steps(const struct swi_live_view *live, int64_t rolling_average);

#endif
