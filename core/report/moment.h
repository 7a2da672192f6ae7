/* SPDX-License-Identifier: MIT */
/* moment.h - what a report says of its moment besides the rows. The end of an epoch or a fit is a
 * moment whose report is made later (core/records/pending_reports.h). */
#ifndef CORE_REPORT_MOMENT_H
#define CORE_REPORT_MOMENT_H

#include "core/report/misuse_list.h"
#include "core/rows/measured.h"

struct swi_record;

/* In place of a number: the rows as they are. */
#define SWI_NOW UINT64_MAX

/* What is wrong with a report, for whoever tells the user. */
enum swi_flaw {
    SWI_FLAW_TORN,    /* for half a second a thread stood in the middle of a change to its rows */
    SWI_FLAW_UNBINNED /* values are in no histogram, for lack of memory */
};

/* What reports are made of. Written by swi_profiler_open(), except for what has a lock of its own.
 */
struct swi_reports {
    struct swi_measured *measured;
    const struct sw_run *run;
    struct swi_misuses misuses;
    void (*flawed)(void *arg, enum swi_flaw flaw, int thread);
    void *arg;
};

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
    bool inserted; /* nobody began the fit */
    int64_t epoch, step;
    struct swi_elapsed_copy elapsed; /* of the loop's thread */
    struct swi_cost cost;            /* the same; of no use for SWI_NOW */
    int64_t misuses, discarded, discarded_ticks, dropped_ticks;
    size_t misuse_count;
    const struct sw_misuse *misuse;
    bool failed; /* there was no memory for all of it */
};

/* Fills in what must be known before rows are read, and what after. elapsed: comes with the rows,
 * where other threads may go on meanwhile. */
void swi_moment_begin(struct swi_measured *measured, struct swi_moment *moment, bool complete);
void swi_moment_rest(struct swi_reports *reports, struct swi_moment *moment);
/* Frees what no report took. */
void swi_moment_fini(struct swi_moment *moment);

#endif
