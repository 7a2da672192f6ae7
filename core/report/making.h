/* SPDX-License-Identifier: MIT */
/* making.h - the state of making a report: the rows of all threads, read as of the same moment. */
#ifndef CORE_REPORT_MAKING_H
#define CORE_REPORT_MAKING_H

#include "core/report/counter_columns.h"
#include "core/report/made_row.h"

/* A row of a thread, and its place in the report. */
struct swi_source {
    uint32_t order; /* phase, and place in it */
    int shaped;     /* handle of an action with a shape; 0: none, or shapes are merged */
    uint32_t index; /* of all rows of all views; SWI_NOBODYS: the row is there in any case */
};
#define SWI_NOBODYS UINT32_MAX

/* Rows are made one by one, so that 10,000 actions need little memory. */
struct swi_making {
    const struct swi_reports *reports;
    const struct swi_moment *moment;
    size_t count;
    struct swi_view *view;
    size_t sources;
    struct swi_source *source;
    struct swi_gathered row;
    struct swi_view_row part;
    double inside, between; /* between: ticks of containers less what is inside them */
    bool by_shape; /* the rows are made a second time, one for each shape, so the sums are known */
    double own_ticks;                    /* cost of stepwatch's calls */
    int64_t unbinned;                    /* values in no histogram, for lack of memory */
    int64_t missed;                      /* uses of counters that are not known */
    struct swi_counter_columns *columns; /* of the report */
    bool failed;                         /* out of memory: an incomplete report is not returned */
};

/* Begins to read the rows of all threads. large: as in swi_view_init(). */
void swi_making_read(struct swi_making *making, bool large);

/* Adds the rows of one thread, for whose view there is room. shown: as in struct swi_view. */
void swi_making_add(struct swi_making *making, struct swi_thread *thread, enum sw_phase shown,
                    bool large);

/* Returns whether all rows were read as of the same time. */
bool swi_making_holds(const struct swi_making *making);

/* Cuts the traces where the report has read them: these regions come before the report. */
void swi_making_cut(struct swi_making *making);

/* Reports a flaw, and the threads whose rows could not be read in peace. */
void swi_making_flaw_tell(const struct swi_reports *reports, enum swi_flaw flaw, int number);
void swi_making_torn_tell(const struct swi_making *making);

/* Returns whether a thread has not looked since the last fit. It still has the rows that are in the
 * report of that fit. */
bool swi_making_is_stale(const struct swi_measured *measured, const struct swi_thread *thread);

void swi_making_fini(struct swi_making *making);

#endif
