/* SPDX-License-Identifier: MIT */
/* thread_counter_use.h - what a thread keeps of its counters: their values, and the counts of its
 * open and ended regions. Threads without counters have none of this. */
#ifndef CORE_ROWS_THREAD_COUNTER_USE_H
#define CORE_ROWS_THREAD_COUNTER_USE_H

#include "core/rows/counter_slots.h"

#include <stddef.h>

struct swi_thread;

/* The counts of an open region in a bank. */
struct swi_frame_counts {
    int64_t start[SWI_BANK];
    int64_t inside[SWI_BANK]; /* use of the counted regions inside; of a peak: 0 */
    int64_t peak_before;      /* the peak of the region around it so far, if the bank has one */
    uint8_t applies;          /* bits of the slots that the region has */
    uint8_t missed;           /* bits of those that could not be read, and of `large` */
    uint8_t large;            /* bits of those that used 2^62 or more */
    uint8_t full;             /* bits of those that used 2^63 or more */
};

/* The counts of an ended region that are not in its row yet. */
struct swi_ended_counts {
    int64_t total[SWI_BANK], self[SWI_BANK];
    uint8_t known, missed;
};

struct swi_bank {
    struct swi_frame_counts *frame; /* by depth; the first does not belong to a region */
    struct swi_ended_counts *ended; /* by index in thread->ended */
    size_t frame_room;
    uint32_t ended_room;
};

struct swi_counting {
    struct swi_counters *counters;
    int banks;
    int active; /* slots in use */
    int chosen;
    bool begun; /* it was read once */
    struct swi_bank bank[SWI_BANKS];
    int64_t value[SWI_SLOTS];  /* read last; own counters: current */
    int64_t peak[SWI_SLOTS];   /* the largest since the innermost region began */
    uint8_t unread[SWI_BANKS]; /* slots that could not be read last time */
    uint8_t steps_only[SWI_BANKS];
    uint8_t peaks[SWI_BANKS];
    int64_t at_pause[SWI_SLOTS], peak_at_pause[SWI_SLOTS];
    int64_t traced[SWI_SLOTS];     /* as the trace of the thread has them */
    int64_t marked[SWI_SLOTS];     /* as the marks of fit, epoch, train and valid have them */
    int64_t ended_peak[SWI_SLOTS]; /* of the region that ended last */
    struct swi_given_use {
        bool any;
        int64_t total, self;
    } * given; /* by slot: what a replay says of the region that ends next; or NULL */
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
