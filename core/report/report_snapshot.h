/* SPDX-License-Identifier: MIT */
/* report_snapshot.h - everything in a report besides the rows. */
#ifndef CORE_REPORT_REPORT_SNAPSHOT_H
#define CORE_REPORT_REPORT_SNAPSHOT_H

#include "core/rows/action.h"
#include "core/rows/measured.h"

#include <stepwatch/report.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- misuses --------------------------------------------------------------------------------- */

enum swi_misuse {
    SWI_BEGUN_TWICE,
    SWI_NOT_BEGUN,        /* ended without a begin */
    SWI_CANCEL_NOT_BEGUN, /* cancelled without a begin */
    SWI_TOO_DEEP,
    SWI_OPEN_AT_CLOSE,
    SWI_AROUND,      /* a batch was open when `other` began */
    SWI_DISCARDED,   /* still open when `other` ended */
    SWI_IN_HANDLER,  /* in a signal handler that interrupted a call */
    SWI_COUNTED_BACK /* sw_count() of a negative number; the action is a counter */
};

/* The most entries with a count of their own. All others are counted together. */
enum { SWI_MISUSES_MAX = 64 };

struct swi_misuses {
    pthread_mutex_t lock;
    size_t count;
    struct swi_misuse_item {
        enum swi_misuse kind;
        int action;
        int other; /* -1 if there is none */
        int64_t times;
        bool reported; /* its message was sent */
    } item[SWI_MISUSES_MAX];
    int64_t more;
    atomic_bool unreported; /* a message is due */
    atomic_int telling;     /* threads that send some */
};

/* Bytes of the longest text of an item. */
enum { SWI_MISUSE_TEXT = 2 * SWI_NAME_MAX + 128 };

void swi_misuses_init(struct swi_misuses *misuses);
void swi_misuses_fini(struct swi_misuses *misuses);
/* Writes what the calls of an item did wrong. */
void swi_misuse_text(char *text, size_t size, const struct swi_misuse_item *item);
/* Sets all counts to 0. A misuse that was reported before is not reported again. */
void swi_misuses_reset(struct swi_misuses *misuses);
/* Appends the counted misuses to the report's list. Returns false if memory runs out before all of
 * them are appended. */
bool swi_misuses_list(struct swi_misuses *misuses, struct sw_report *report);
/* Gives a report its own copy of the list of another report. */
bool swi_misuses_copy(struct sw_report *report, const struct sw_report *other);
void swi_misuses_free(const struct sw_report *report);

/* ---- a snapshot ------------------------------------------------------------------------------ */

/* What a replayed run cost, as its own reports say. A replay cannot measure it. */
struct swi_replayed_costs {
    bool ended; /* no fit that is open goes on: its costs are known as well */
    size_t count, room;
    struct swi_replayed_cost {
        int fit;
        double own_ns;         /* NAN: unknown */
        double own_threads_ns; /* 0: unknown */
        double joules;         /* 0: unknown */
    } * item;                  /* by fit */
};

/* Adds what a fit cost, in place of what was added for the same fit. */
void swi_replayed_costs_add(struct swi_replayed_costs *costs, const struct swi_replayed_cost *cost);

/* Returns what a fit cost. */
struct swi_replayed_cost swi_replayed_costs_of(const struct swi_replayed_costs *costs, int fit);

void swi_replayed_costs_fini(struct swi_replayed_costs *costs);

/* What is wrong with a report. */
enum swi_flaw {
    SWI_FLAW_UNBINNED, /* values are missing from the histograms because memory ran out */
    SWI_FLAW_FULL,     /* sums of a counter are INT64_MAX or more */
    SWI_FLAW_UNCOUNTED /* what some regions used of a counter is not known; the number is how much
                          of the time counters of the processor ran, in percent */
};

/* Everything that making reports needs. Only swi_profiler_open() writes it, except for members with
 * a lock of their own. */
struct swi_reports {
    struct swi_measured *measured;
    const struct sw_run *run;
    struct swi_misuses misuses;
    void (*flawed)(void *arg, enum swi_flaw flaw, int thread);
    void *arg;
    /* Joules that were used from one tick to another; 0: unknown. NULL: nobody knows. exact: may
     * wait for a moment to know it well. */
    double (*energy)(void *arg, int64_t from, int64_t to, bool exact);
    void *energy_arg;
    struct swi_replayed_costs costs; /* set before the first region */
    struct sw_report *last;          /* of the fit that ended last; under the fold lock */
};

struct swi_snapshot {
    bool complete;                 /* the moment ends a fit */
    const struct swi_thread *loop; /* NULL if there is none */
    enum sw_phase threads_are;     /* rows of SW_PHASE_THREADS of `loop` are shown as these */
    int64_t now, first;            /* ticks; first: of the first region, if there was no fit */
    double fit_ticks;
    int64_t began_ns;
    double ns_per_tick;
    int fit;
    bool inserted; /* the program did not begin the fit */
    int64_t epoch, step;
    struct swi_elapsed elapsed; /* of the loop's thread */
    int64_t misuses, discarded, discarded_ticks, dropped_ticks;
    size_t misuse_count;
    const struct sw_misuse *misuse;
    struct swi_newest_steps *newest; /* of the fit that ended; NULL: nobody wants findings */
    struct swi_memory_use *memory;
    int preempted_thread;                    /* the loop's thread: its gettid(), or 0 */
    struct swi_preemptions preempted_before; /* of it, before the fit */
    bool failed;                             /* memory ran out before the list was complete */
};

/* Fills it in, as of a tick up to which all is folded. */
void swi_snapshot_take(struct swi_reports *reports, struct swi_snapshot *snapshot, int64_t now,
                       bool complete);
/* Frees what no report took over. */
void swi_snapshot_fini(struct swi_snapshot *snapshot);

#endif
