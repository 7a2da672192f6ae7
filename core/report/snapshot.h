/* SPDX-License-Identifier: MIT */
/* snapshot.h - what the rows of a thread held at one moment, for a reader on any thread.
 *
 * The reader copies them and looks at the thread's sequence counter before and after. Where they
 * change too often for that, it asks: the thread makes the copy itself, some microseconds of work,
 * when it next folds. Neither waits for the other; a thread that does nothing changes nothing. */
#ifndef CORE_REPORT_SNAPSHOT_H
#define CORE_REPORT_SNAPSHOT_H

#include "core/rows/thread.h"

/* The rest of a row: its octaves in swi_snapshot.octave, of durations, then of rates. */
struct swi_snapshot_row {
    const struct swi_row *row;
    struct swi_row_copy copy;
    size_t octaves_at, durations, rates;
};

/* A region that ended and is not in its row, or not all of it. */
struct swi_snapshot_ended {
    const struct swi_row *row;
    int64_t ticks, self;
    size_t order; /* in which they ended */
};

struct swi_snapshot {
    /* Room for it, and how much there is. */
    size_t row_room, rows, octave_room, octaves, ended_room, ended_count;
    struct swi_snapshot_row *row;
    struct swi_octave_copy *octave;
    struct swi_snapshot_ended *ended; /* in the order of the rows' numbers */
    struct swi_elapsed_copy elapsed;
    uint64_t sequence;      /* of the thread then */
    uint64_t traced;        /* events of its trace that are as old */
    uint64_t moment, since; /* its own then (thread.h): rows from before are left out */
    bool with_rows;         /* else all but the rows is copied */
    bool whole;             /* there was room for all of it */
    atomic_bool given;      /* the thread has made the copy */
};

enum swi_snapshot_rc {
    SWI_SNAPSHOT_WHOLE,
    SWI_SNAPSHOT_TORN, /* for half a second the thread was in the middle of a change */
    SWI_SNAPSHOT_NO_MEMORY
};

/* Takes one. swi_snapshot_fini() in any case. */
enum swi_snapshot_rc swi_snapshot_take(struct swi_snapshot *snapshot, struct swi_thread *thread,
                                       bool with_rows);
void swi_snapshot_fini(struct swi_snapshot *snapshot);

/* The thread: makes the copy that was asked for. Not in the middle of a change. */
void swi_snapshot_give(struct swi_thread *thread);

/* The same where one was asked for, which is not usual. */
static inline void swi_snapshot_serve(struct swi_thread *thread)
{
    if (__builtin_expect(SWI_GET(thread->asked) != NULL, 0))
        swi_snapshot_give(thread);
}

#endif
