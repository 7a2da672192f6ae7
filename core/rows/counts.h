/* SPDX-License-Identifier: MIT */
/* counts.h - what the regions of a thread use of its counters: the differences between their values
 * at the end and at the begin, by the rules of durations.
 *
 * Threads that count nothing have none of this. The counts of an open region, of one that ended and
 * of a row lie beside these and not in them, so that the hot path's memory is as without counters.
 * Counters have numbers, their slots; eight neighbouring slots are a bank. */
#ifndef CORE_ROWS_COUNTS_H
#define CORE_ROWS_COUNTS_H

#include "core/counters/counter_choice.h"
#include "core/counters/counter.h"
#include "core/counters/user.h"

#include <stdatomic.h>
#include <stddef.h>

struct swi_row;
struct swi_thread;

enum {
    SWI_BANK = 8,
    SWI_SLOTS = (SWI_COUNTER_CHOICES + SWI_USER_COUNTERS + SWI_BANK - 1) / SWI_BANK * SWI_BANK,
    SWI_BANKS = SWI_SLOTS / SWI_BANK
};

/* One counter of a profiler. */
struct swi_slot {
    const char *name, *label, *unit;
    enum sw_counter_kind kind;
    const struct swi_counter *counter; /* NULL: the program's own, or of a replay */
    int64_t less;                      /* is taken off each use: what reading it counts */
    bool steps_only;                   /* read for fit, epoch, train, valid, draw and batch alone */
};

/* The counters of a profiler: first those of the configuration, or of a run that is replayed; then
 * the program's own, by their handles. */
struct swi_counters {
    int chosen;
    bool replayed;
    struct swi_slot slot[SWI_SLOTS];        /* those that are chosen */
    atomic_bool counted[SWI_USER_COUNTERS]; /* the program's own, at least once */
    atomic_int own;                         /* one more than the largest of these */
    atomic_llong moved;                     /* regions whose use is unknown */
};

/* Slot number i, whoever's it is. */
struct swi_slot swi_counters_slot(const struct swi_counters *counters, int i);
/* Its kind. */
static inline enum sw_counter_kind swi_counters_kind(const struct swi_counters *counters, int i)
{
    return i < counters->chosen ? counters->slot[i].kind : SW_COUNTER_SUM;
}
/* How many there may be. */
static inline int swi_counters_count(const struct swi_counters *counters)
{
    return counters->chosen + atomic_load_explicit(&counters->own, memory_order_acquire);
}
/* Whether a report shows a slot: one of the program's own only once it was counted. */
bool swi_counters_shows(const struct swi_counters *counters, int i);
/* Whether regions of an action have a slot. */
bool swi_counters_applies(const struct swi_counters *counters, int i, int action);

/* ---- regions ---- */

/* Of an open region, in one bank. */
struct swi_frame_counts {
    int64_t start[SWI_BANK];
    int64_t inside[SWI_BANK]; /* of the counted regions inside; of a peak: what it was before */
    uint8_t applies;          /* a bit for each slot that the region has */
    uint8_t missed;           /* of these, those that could not be read */
};

/* Of a region that ended, where its row does not have it yet. */
struct swi_ended_counts {
    atomic_llong total[SWI_BANK], self[SWI_BANK];
    atomic_uchar known, missed;
};

/* Of a row, in one bank. */
struct swi_row_counts {
    atomic_llong total[SWI_BANK], self[SWI_BANK], missed[SWI_BANK];
    _Atomic(struct swi_row_counts *) next; /* of the next bank */
};

/* The same as numbers. */
struct swi_use {
    int64_t total, self, missed;
};

/* ---- a thread ---- */

struct swi_bank {
    struct swi_frame_counts *frame;           /* by depth; the first is no region's */
    _Atomic(struct swi_ended_counts *) ended; /* beside thread->ended */
    size_t frame_room;
    uint32_t ended_room;
};

struct swi_counting {
    struct swi_counters *counters;
    int banks;
    int active; /* slots in use */
    int chosen;
    int owner;  /* the OS thread whose counters these are */
    bool plain; /* all slots are words of the thread or its own counts, and are in one bank */
    int64_t value[SWI_SLOTS];       /* as they were read last; own counts: as they are */
    const int64_t *word[SWI_SLOTS]; /* where a value is read; NULL: by a call, or not at all */
    int64_t *peak[SWI_SLOTS];
    uint8_t unread[SWI_BANKS]; /* could not be read last */
    uint8_t steps_only[SWI_BANKS];
    uint8_t peaks[SWI_BANKS];
    uint64_t used[2]; /* own counters that this thread has counted */
    int64_t at_pause[SWI_SLOTS], peak_at_pause[SWI_SLOTS];
    struct swi_bank bank[SWI_BANKS];
    struct swi_outgrown_counts *outgrown; /* a reader may still look at them */
};

/* NULL without memory. */
struct swi_counting *swi_counting_new(struct swi_counters *counters,
                                      const struct swi_thread *thread);
void swi_counting_free(struct swi_counting *counting);

/* Makes room for so many slots. False without memory. */
bool swi_counting_grow(struct swi_counting *counting, const struct swi_thread *thread, int slots);
/* Makes room for so many open regions, and for so many that ended. */
bool swi_counting_room(struct swi_counting *counting, size_t frames, uint32_t ended);

/* The calling thread's innermost region begins, or ends, with the values that were read. The end
 * comes before the region leaves the stack. row: gets the use at once, in the middle of a change;
 * NULL: ended[index] does. */
void swi_counts_begin(struct swi_counting *counting, int depth, int action);
void swi_counts_end(struct swi_counting *counting, int depth, struct swi_row *row, uint32_t index);

/* The innermost region does not count, what ended inside it does. */
void swi_counts_drop(struct swi_counting *counting, int depth);

/* Regions above a depth move up by one, and a region comes in there that began when the values were
 * as at the bottom of the stack, or as they are now. */
void swi_counts_insert(struct swi_counting *counting, int depth, int top, bool from_bottom);

/* What is open has no use: it is on another OS thread by now. */
void swi_counts_lose(struct swi_counting *counting, int depth, bool own);

/* The values that were read are those of the thread's first call; nothing is inside of it. */
void swi_counts_first(struct swi_counting *counting);

/* Between the two, what is counted belongs to nothing. */
void swi_counts_pause(struct swi_counting *counting);
void swi_counts_resume(struct swi_counting *counting, int depth);

/* Region i that ended: into its row; out of the list; to place `to`. */
void swi_counts_fold(const struct swi_thread *thread, uint32_t i);
void swi_counts_shift(const struct swi_counting *counting, uint32_t to, uint32_t from);

/* The use of a step: of its draws, and of the batch, which ended last. */
void swi_counts_step(const struct swi_thread *thread, struct swi_row *row, uint32_t first,
                     uint32_t count);

/* ---- rows ---- */

void swi_row_counts_free(struct swi_row *row);
void swi_row_counts_reset(struct swi_row *row);
/* Copies as many slots as there is room for; returns how many there are. */
size_t swi_row_counts_copy(const struct swi_row *row, struct swi_use *to, size_t room);
/* The same of region i that ended. */
size_t swi_ended_counts_copy(const struct swi_counting *counting, uint32_t i, struct swi_use *to,
                             size_t room);
/* A peak is the largest, all else adds up. */
void swi_use_add(struct swi_use *sum, const struct swi_use *more, enum sw_counter_kind kind);

#endif
