/* SPDX-License-Identifier: MIT */
/* moment.h - what a report says of its moment besides the rows, and the moments whose reports are
 * still to be made.
 *
 * The loop's thread only notes a moment (fit.c); the first sink that gets its record has the report
 * made, with those of all moments before it. Whoever needs a report earlier makes it himself. */
#ifndef CORE_REPORT_MOMENT_H
#define CORE_REPORT_MOMENT_H

#include "core/rows/thread.h"

struct swi_record;

/* In place of a number: the rows as they are. */
#define SWI_NOW UINT64_MAX

struct swi_moment {
    uint64_t number;
    uint64_t since;            /* the moment before that ended a fit; of no use for SWI_NOW */
    bool complete;             /* it ends a fit */
    bool cuts;                 /* whoever makes its report holds the lock of the traces */
    struct swi_record *record; /* that gets the report, with a reference; NULL: none */

    const struct swi_thread *loop; /* NULL: none */
    enum sw_phase threads_are;     /* what the rows `threads` of `loop` are shown as */
    int64_t now, first;            /* ticks; first: of the first region, where there was no fit */
    double fit_ticks;
    int64_t began_ns;
    double ns_per_tick;
    int fit;
    int64_t epoch, step;
    struct swi_elapsed_copy elapsed; /* of the loop's thread */
    struct swi_cost cost;            /* the same; of no use for SWI_NOW */
    int64_t misuses, discarded, discarded_ticks, dropped_ticks;
    size_t misuse_count;
    const struct sw_misuse *misuse;
    bool failed; /* there was no memory for all of it */
};

/* Fills in what is to be known before rows are read, and what after. elapsed: comes with the rows,
 * where other threads may go on meanwhile. */
void swi_moment_begin(struct sw_profiler *sw, struct swi_moment *moment, bool complete);
void swi_moment_rest(struct sw_profiler *sw, struct swi_moment *moment);
/* Frees what no report took. */
void swi_moment_fini(struct swi_moment *moment);

/* The end of an epoch or of a fit, on the loop's thread, whose regions are all in their rows.
 * record: gets the report later, or NULL; takes over a reference. Returns the moment's number. */
uint64_t swi_moment_end(struct sw_profiler *sw, struct swi_thread *thread, bool complete,
                        struct swi_record *record);

/* Makes the report of a moment and gives it to its record; takes over what the moment holds. With
 * `making` held, or where no other report waits. */
void swi_moment_make(struct sw_profiler *sw, struct swi_moment *moment);

/* Makes all reports that are still to be made up to a moment; SWI_NOW: all. Any thread that holds
 * no lock. */
void swi_moments_make(struct sw_profiler *sw, uint64_t number);
/* The same of the oldest. sw: a struct sw_profiler. */
void swi_moments_relieve(void *sw);

/* Forgets the oldest moments for as long as they have no record: once another fit is over, nobody
 * asks for the report of the one before. */
void swi_moments_forget(struct sw_profiler *sw);
/* Forgets all of them. */
void swi_moments_fini(struct sw_profiler *sw);

#endif
