/* SPDX-License-Identifier: MIT */
/* snapshot.h - a copy of the rows of a thread as they were at one time, for a reader on any thread.
 *
 * The reader copies the rows and checks that the thread's sequence counter did not change
 * meanwhile. If the rows change too often for that, the reader asks the thread to make the copy
 * when it next folds; this takes the thread some microseconds. The thread never waits for the
 * reader. A thread that does nothing changes no rows, so the reader need not wait for it either. */
#ifndef CORE_REPORT_SNAPSHOT_H
#define CORE_REPORT_SNAPSHOT_H

#include "core/rows/thread.h"

/* A row without its octaves. They are in swi_snapshot.octave from octaves_at on: those of the
 * durations, then those of the rates. */
struct swi_snapshot_row {
    const struct swi_row *row;
    struct swi_row_copy copy;
    size_t octaves_at, durations, rates;
    size_t uses_at, uses; /* of counters, in swi_snapshot.use */
};

/* An ended region that is not, or not completely, in its row yet; or the rate of train or valid as
 * a whole in a step, which is no call. */
struct swi_snapshot_ended {
    const struct swi_row *row;
    int64_t ticks, self;
    bool is_call, rated;
    double rate;  /* if rated */
    size_t order; /* position in the order in which the regions ended */
    size_t uses_at, uses;
};

struct swi_snapshot {
    /* Capacity and use of the four arrays. */
    size_t row_room, rows, octave_room, octaves, ended_room, ended_count, use_room, uses;
    struct swi_snapshot_row *row;
    struct swi_octave_copy *octave;
    struct swi_use *use;              /* of counters */
    struct swi_snapshot_ended *ended; /* sorted by the number of the row */
    struct swi_elapsed_copy elapsed;
    uint64_t sequence;      /* the thread's sequence at that time */
    uint64_t traced;        /* events in the thread's trace at that time */
    uint64_t moment, since; /* the thread's own then; rows from before `since` are left out */
    bool with_rows;         /* if false, everything but the rows is copied */
    bool whole;             /* everything fitted */
    atomic_bool given;      /* the thread has made the copy */
};

enum swi_snapshot_rc {
    SWI_SNAPSHOT_WHOLE,
    SWI_SNAPSHOT_TORN, /* the thread was in the middle of a change for half a second */
    SWI_SNAPSHOT_NO_MEMORY
};

/* Takes a snapshot. Call swi_snapshot_fini() also if it fails. */
enum swi_snapshot_rc swi_snapshot_take(struct swi_snapshot *snapshot, struct swi_thread *thread,
                                       bool with_rows);
void swi_snapshot_fini(struct swi_snapshot *snapshot);

/* Makes the copy that a reader asked for. The thread itself calls it, but not in the middle of a
 * change. */
void swi_snapshot_give(struct swi_thread *thread);

/* Calls swi_snapshot_give() if a reader has asked, which is rare. */
static inline void swi_snapshot_serve(struct swi_thread *thread)
{
    if (__builtin_expect(SWI_GET(thread->asked) != NULL, 0))
        swi_snapshot_give(thread);
}

#endif
