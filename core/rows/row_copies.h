/* SPDX-License-Identifier: MIT */
/* row_copies.h - rows as they were at a moment whose report is still to be made.
 *
 * The end of an epoch or of a fit is a moment. Its report is made later, by another thread, from
 * the rows as they were then: what a thread begins for the first time after a moment copies its row
 * before it changes it. Moments have ascending numbers, and their reports are made in that order.
 *
 * The copies lie in a ring of memory that is the system's until it is touched, so that keeping a
 * row is no system call; they go with the report of the newest moment that they were made for. */
#ifndef CORE_ROWS_ROW_COPIES_H
#define CORE_ROWS_ROW_COPIES_H

#include "core/rows/row.h"

#include <pthread.h>

struct swi_thread;

/* So many moments may wait for their reports, and so much memory may be kept for them. */
enum { SWI_MOMENTS = 512 };
#define SWI_PAST_BYTES ((size_t)16 << 20)

/* A row as it was until a thread changed it. */
struct swi_kept {
    const struct swi_kept *next; /* that was kept before, since the same moment */
    const struct swi_row *row;
    const struct swi_thread *thread;
    uint64_t changed;        /* it changed last between this moment and the next, ... */
    uint64_t until;          /* ... and again after this one */
    size_t durations, rates; /* octaves of each, at `octave` */
    const struct swi_octave_copy *octave;
    size_t copied;        /* bytes of the copy: rates take none where there are none */
    unsigned char copy[]; /* of a struct swi_row_copy */
};

struct swi_past {
    _Atomic uint64_t newest; /* number of the newest moment; the first is 1 */
    _Atomic uint64_t made;   /* up to this one no report is still to be made */

    pthread_mutex_t lock; /* for what follows; held for less than a microsecond */
    char *memory;         /* NULL: nothing is kept, reports are made at once */
    uint64_t head, tail;  /* of the ring: bytes ever taken, and freed */
    struct swi_past_slot {
        _Atomic(void *) moment;
        _Atomic(const struct swi_kept *) kept; /* since this moment; the newest first */
        uint64_t at;                           /* in the ring */
    } slot[SWI_MOMENTS];

    /* Makes the oldest report that waits, when there is no room to keep more. */
    void (*relieve)(void *arg);
    void *arg;
};

void swi_past_init(struct swi_past *past, void (*relieve)(void *arg), void *arg);
void swi_past_fini(struct swi_past *past);

/* Gets the memory; false where there is none. */
bool swi_past_reserve(struct swi_past *past);

/* The next moment begins with a copy of what describes it. Returns its number, which *number in the
 * copy is set to; 0 where there is no room. Calls for one profiler exclude each other. */
uint64_t swi_past_post(struct swi_past *past, const void *moment, size_t size, uint64_t *number);
/* The same for a moment whose report is made already, and no other waits. */
uint64_t swi_past_skip(struct swi_past *past);

/* The description of the oldest moment whose report is to be made; NULL: none. For one thread at a
 * time, which says when it is made: then the memory is free. */
void *swi_past_due(struct swi_past *past);
void swi_past_made(struct swi_past *past, uint64_t number);

/* Whether a report is still to be made of a moment up to this one. */
static inline bool swi_past_waits(const struct swi_past *past, uint64_t number)
{
    return atomic_load_explicit(&past->made, memory_order_acquire) < number;
}

/* Keeps a row that changed last after the moment `changed` and will change now, after `until`.
 * spare: may take the last of the memory. False where there is no room. The row's own thread. */
bool swi_past_row(struct swi_past *past, const struct swi_thread *thread, const struct swi_row *row,
                  uint64_t changed, uint64_t until, bool spare);

/* For whoever makes the report of a moment: what was kept since a moment that is not older. */
static inline const struct swi_kept *swi_past_since(const struct swi_past *past, uint64_t number)
{
    return atomic_load_explicit(&past->slot[number % SWI_MOMENTS].kept, memory_order_acquire);
}

/* What was kept of the numbers. */
void swi_kept_copy(const struct swi_kept *kept, struct swi_row_copy *copy);

#endif
