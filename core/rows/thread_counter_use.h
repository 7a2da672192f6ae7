/* SPDX-License-Identifier: MIT */
/* thread_counter_use.h - what a thread keeps of its counters: their values, and the counts of its
 * open and ended regions.
 *
 * Threads without counters have none of this. The counts of open regions, ended regions and rows
 * are stored beside these and not in them, so that counters do not change the memory of the hot
 * path. */
#ifndef CORE_ROWS_THREAD_COUNTER_USE_H
#define CORE_ROWS_THREAD_COUNTER_USE_H

#include "core/rows/counter_slots.h"

#include <stdatomic.h>
#include <stddef.h>

struct swi_thread;

/* The counts of an open region in a bank. */
struct swi_frame_counts {
    int64_t start[SWI_BANK];
    int64_t inside[SWI_BANK]; /* use of the counted regions inside; of a peak: 0 */
    int64_t peak_before;      /* the peak of the region around it so far, if the bank has one */
    uint8_t applies;          /* bits of the slots that the region has */
    uint8_t missed;           /* bits of those that could not be read, and of `large` */
    uint8_t large;            /* bits of those that used 2^62 or more: they end the slow way */
    uint8_t full;             /* bits of those that used 2^63 or more */
    /* Padding: three times the size of a struct swi_frame, for swi_frame_counts_of(). */
    char unused[46];
};

/* The counts of an ended region that are not in its row yet. */
struct swi_ended_counts {
    atomic_llong total[SWI_BANK], self[SWI_BANK];
    atomic_uchar known, missed;
    /* Padding: six times the size of a struct swi_ended, for swi_ended_counts_of(). */
    char unused[8];
};

struct swi_bank {
    struct swi_frame_counts *frame;           /* by depth; the first does not belong to a region */
    _Atomic(struct swi_ended_counts *) ended; /* parallel to thread->ended */
    size_t frame_room;
    uint32_t ended_room;
};

struct swi_counting {
    struct swi_counters *counters;
    int banks;
    int active; /* slots in use */
    int chosen;
    int owner;  /* the OS thread whose counters these are */
    bool begun; /* it was read once */
    bool plain; /* all slots are words of the thread or its own counts, and are in one bank */
    bool words; /* all chosen slots are words of the thread, read for each region */
    int64_t summed[SWI_BANK]; /* of the first bank: all bits; 0 for a peak, which has no sum */
    struct swi_bank bank[SWI_BANKS];
    const int64_t *word[SWI_SLOTS]; /* address of the value; NULL if it has none */
    int64_t value[SWI_SLOTS];       /* read last; own counters: current */
    int64_t *peak[SWI_SLOTS];
    uint8_t unread[SWI_BANKS]; /* slots that could not be read last time */
    uint8_t steps_only[SWI_BANKS];
    uint8_t peaks[SWI_BANKS];
    uint64_t used[2]; /* own counters that this thread has counted */
    int64_t at_pause[SWI_SLOTS], peak_at_pause[SWI_SLOTS];
    int64_t traced[SWI_SLOTS];     /* as the trace of the thread has them */
    int64_t marked[SWI_SLOTS];     /* as the marks of fit, epoch, train and valid have them */
    int64_t ended_peak[SWI_SLOTS]; /* of the region that ended last */
    struct swi_given_use {
        bool any;
        int64_t total, self;
    } * given; /* by slot: what a replay says of the region that ends next; or NULL */
    struct swi_outgrown_counts *outgrown; /* a reader may still use them */
};

/* Returns NULL if out of memory. */
struct swi_counting *swi_counting_new(struct swi_counters *counters,
                                      const struct swi_thread *thread);
void swi_counting_free(struct swi_counting *counting);

/* The profiler has more counters than before, or other ones. */
void swi_counting_look_again(struct swi_counting *counting);
/* Makes room for so many slots. Returns false if out of memory. */
bool swi_counting_grow(struct swi_counting *counting, const struct swi_thread *thread, int slots);
/* Makes room for open regions and ended regions. Returns false if out of memory. */
bool swi_counting_room(struct swi_counting *counting, size_t frames, uint32_t ended);

#endif
