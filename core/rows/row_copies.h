/* SPDX-License-Identifier: MIT */
/* row_copies.h - rows as they were at a moment whose report is not made yet.
 *
 * The end of an epoch or of a fit is a moment. Another thread makes its report later, from the rows
 * as they were at the moment. Before a thread changes a row for the first time after a moment, it
 * copies the row. Moments have ascending numbers, and their reports are made in that order.
 *
 * The copies are in a ring of memory that the system provides when it is first touched, so that
 * keeping a row needs no system call. A copy is freed when the report of the newest moment that
 * needs it is made. */
#ifndef CORE_ROWS_ROW_COPIES_H
#define CORE_ROWS_ROW_COPIES_H

#include "core/rows/counter_use.h"
#include "core/rows/row.h"

#include <pthread.h>

struct swi_thread;

/* The most moments that may wait for their reports, and the most memory for their rows. */
enum { SWI_MOMENTS = 512 };
#define SWI_PAST_BYTES ((size_t)8 << 20)

/* A copy of a row from before a thread changed it. */
struct swi_kept {
    const struct swi_kept *next; /* the copy that was kept before this one, since the same moment */
    const struct swi_row *row;
    const struct swi_thread *thread;
    uint64_t changed;        /* the copy is valid for the moments after this one ... */
    uint64_t until;          /* ... up to this one */
    size_t durations, rates; /* octaves of each, in `octave` */
    const struct swi_octave_copy *octave;
    size_t uses; /* of counters */
    const struct swi_use *use;
    size_t copied;        /* bytes of `copy`, which has no rates if the row has none */
    unsigned char copy[]; /* a struct swi_row_copy */
};

struct swi_past {
    _Atomic uint64_t newest; /* number of the newest moment; the first is 1 */
    _Atomic uint64_t made;   /* the reports up to this moment are made */

    /* Protects the rest, but swi_past_is_crowded() reads head and slot[].at without it; held for
     * less than a microsecond. */
    pthread_mutex_t lock;
    char *memory;          /* NULL: no row is kept and reports are made at once */
    _Atomic uint64_t head; /* of the ring: bytes ever taken */
    uint64_t tail;         /* bytes ever freed */
    struct swi_past_slot {
        _Atomic(void *) moment;
        _Atomic(const struct swi_kept *) kept; /* kept since this moment, the newest first */
        _Atomic uint64_t at;                   /* position in the ring */
    } * slot; /* in `memory`, after the ring: one for each moment that may wait */

    /* Makes the oldest waiting report, when there is no room to keep more. */
    void (*relieve)(void *arg);
    void *arg;
};

void swi_past_init(struct swi_past *past, void (*relieve)(void *arg), void *arg);
void swi_past_fini(struct swi_past *past);

/* Allocates the memory. Returns false if out of memory. */
bool swi_past_reserve(struct swi_past *past);

/* Begins the next moment and stores a copy of its description. Returns its number, and sets *number
 * to it before the copy is made; returns 0 if there is no room. Calls for the same profiler must
 * not overlap. */
uint64_t swi_past_post(struct swi_past *past, const void *moment, size_t size, uint64_t *number);
/* Begins a moment whose report is already made. No other report may be waiting. Returns its number.
 */
uint64_t swi_past_skip(struct swi_past *past);

/* swi_past_due() returns the description of the oldest moment whose report is to be made, or NULL.
 * Only one thread at a time may use it. swi_past_made() reports that it is made, which frees the
 * memory. */
void *swi_past_due(struct swi_past *past);
void swi_past_made(struct swi_past *past, uint64_t number);

/* Returns whether the report of this moment or of an earlier one is still to be made. */
static inline bool swi_past_waits(const struct swi_past *past, uint64_t number)
{
    return atomic_load_explicit(&past->made, memory_order_acquire) < number;
}

/* Returns whether so many moments or copies wait that their reports should be made before a sink
 * asks for them. Any thread may call it; takes no lock. */
bool swi_past_is_crowded(const struct swi_past *past);

/* Returns whether moments come quicker than their reports can be made: with more of them, the
 * loop's thread would soon have to make reports itself. Any thread may call it; takes no lock. */
bool swi_past_is_behind(const struct swi_past *past);

/* Keeps a row that changed last after the moment `changed` and is about to change after `until`.
 * spare: may use the last of the memory. Returns false if there is no room. Only the row's own
 * thread may call it. */
bool swi_past_row(struct swi_past *past, const struct swi_thread *thread, const struct swi_row *row,
                  uint64_t changed, uint64_t until, bool spare);

/* Returns what was kept since a moment. For code that makes the report of this moment or an earlier
 * one. */
static inline const struct swi_kept *swi_past_since(const struct swi_past *past, uint64_t number)
{
    return atomic_load_explicit(&past->slot[number % SWI_MOMENTS].kept, memory_order_acquire);
}

/* Copies the numbers of a kept row. */
void swi_kept_copy(const struct swi_kept *kept, struct swi_row_copy *copy);

#endif
