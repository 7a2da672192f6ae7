/* SPDX-License-Identifier: MIT */
/* counts.h - how much the regions of a thread use of its counters: the differences between the
 * values at their end and at their begin, by the same rules as durations.
 *
 * Threads without counters have none of this. The counts of open regions, ended regions and rows
 * are stored beside these and not in them, so that counters do not change the memory of the hot
 * path. Each counter has a number, its slot. Eight neighbouring slots are a bank. */
#ifndef CORE_ROWS_COUNTS_H
#define CORE_ROWS_COUNTS_H

#include "core/counters/counter_choice.h"
#include "core/counters/counter.h"
#include "core/counters/user.h"

#include <stepwatch/sink.h>

#include <stdatomic.h>
#include <stddef.h>

struct swi_row;
struct swi_thread;

enum {
    SWI_BANK = 8,
    SWI_SLOTS = (SWI_COUNTER_CHOICES + SWI_USER_COUNTERS + SWI_BANK - 1) / SWI_BANK * SWI_BANK,
    SWI_BANKS = SWI_SLOTS / SWI_BANK
};

/* Which columns of a counter are standard columns of tables. */
enum swi_shown { SWI_SHOWN_BY_NAME, SWI_SHOWN_TOTAL, SWI_SHOWN_BOTH };

/* A counter of a profiler. */
struct swi_slot {
    const char *name, *label, *unit;
    enum sw_counter_kind kind;
    const struct swi_counter *counter; /* NULL for a counter of the program, or of a replayed run */
    int64_t less;      /* subtracted from each use: what reading the counter adds to it */
    bool steps_only;   /* only read for fit, epoch, train, valid, draw and batch */
    double reading_ns; /* what a reading takes beside those of the slots before it */
    enum swi_shown shown;
};

/* The counters of a profiler: those of the configuration, or of a replayed run, and then the
 * program's own counters by their handles. */
struct swi_counters {
    int chosen;
    bool replayed;
    bool of_memory;                         /* some count what is allocated */
    struct swi_slot slot[SWI_SLOTS];        /* the chosen ones */
    atomic_bool counted[SWI_USER_COUNTERS]; /* own counters that were counted at least once */
    atomic_int own;                         /* one more than the largest of these */
    struct sw_counter_info info[SWI_SLOTS];
};

/* What sinks see of slot i. Of a slot of the program's own from when it was counted. */
const struct sw_counter_info *swi_counters_info(const struct swi_counters *counters, int i);
/* Fills it in. */
void swi_counters_tell(struct swi_counters *counters, int i);

/* Slot number i, whoever's it is. */
struct swi_slot swi_counters_slot(const struct swi_counters *counters, int i);
/* Returns its kind. */
static inline enum sw_counter_kind swi_counters_kind(const struct swi_counters *counters, int i)
{
    return i < counters->chosen ? counters->slot[i].kind : SW_COUNTER_SUM;
}
/* Returns the number of slots, including own counters that are not used. */
static inline int swi_counters_count(const struct swi_counters *counters)
{
    return counters->chosen + atomic_load_explicit(&counters->own, memory_order_acquire);
}
/* Returns whether a report shows a slot. Own counters are shown after they were counted. */
bool swi_counters_shows(const struct swi_counters *counters, int i);
/* Returns whether regions of an action have a slot. */
bool swi_counters_applies(const struct swi_counters *counters, int i, int action);

/* ---- regions ---- */

/* The counts of an open region in a bank. */
struct swi_frame_counts {
    int64_t start[SWI_BANK];
    int64_t inside[SWI_BANK]; /* use of the counted regions inside; for a peak: its value before */
    uint8_t applies;          /* bits of the slots that the region has */
    uint8_t missed;           /* bits of those that could not be read */
    /* Padding: three times the size of a struct swi_frame, for swi_frame_counts_of(). */
    char unused[56];
};

/* The counts of an ended region that are not in its row yet. */
struct swi_ended_counts {
    atomic_llong total[SWI_BANK], self[SWI_BANK];
    atomic_uchar known, missed;
    /* Padding: six times the size of a struct swi_ended, for swi_ended_counts_of(). */
    char unused[8];
};

/* The counts of a row in a bank. */
struct swi_row_counts {
    atomic_llong total[SWI_BANK], self[SWI_BANK], missed[SWI_BANK];
    _Atomic(struct swi_row_counts *) next; /* the next bank */
};

/* The same as plain numbers. */
struct swi_use {
    int64_t total, self, missed;
};

/* ---- a thread ---- */

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

/* Call these when the innermost region of the calling thread begins and ends, after reading the
 * values. The end comes before the region leaves the stack. row: gets the use at once, during a
 * change; if NULL, ended[index] gets it. */
void swi_counts_begin(struct swi_counting *counting, int depth, int action);
void swi_counts_end(struct swi_counting *counting, int depth, struct swi_row *row, uint32_t index);

/* Discards the innermost region. Regions that ended inside it still count. */
void swi_counts_drop(struct swi_counting *counting, int depth);

/* Inserts a region at a depth, and moves those above it up by one. It begins with the values at the
 * bottom of the stack, or with the current ones. */
void swi_counts_insert(struct swi_counting *counting, int depth, int top, bool from_bottom);

/* Marks the use of open regions as not known, because they are on another OS thread now. own: of
 * own counters, too. */
void swi_counts_lose(struct swi_counting *counting, int depth, bool own);

/* The same of one slot. */
void swi_counts_lose_slot(struct swi_counting *counting, int depth, int slot);

/* Makes the values that were read last those of the thread's first call, with nothing inside it. */
void swi_counts_first(struct swi_counting *counting);

/* What is counted between these calls belongs to no region. */
void swi_counts_pause(struct swi_counting *counting);
void swi_counts_resume(struct swi_counting *counting, int depth);

/* Returns how much a slot has gone up since the value in `last`, which becomes the current one.
 * SW_COUNTER_NONE if it cannot be read. */
int64_t swi_counts_increase(const struct swi_counting *counting, int slot, int64_t last[]);

/* What region i that ended has of a slot. False where it has nothing of it. */
bool swi_counts_of_ended(const struct swi_counting *counting, uint32_t i, int slot, int64_t *total,
                         int64_t *self);

/* Region i that ended: into its row, in whose sums it is not yet; to place `to`. */
void swi_counts_fold(const struct swi_thread *thread, uint32_t i);
void swi_counts_shift(const struct swi_counting *counting, uint32_t to, uint32_t from);

/* Adds the use of a step to its row: that of its draws and of the batch, which ended last. */
void swi_counts_step(const struct swi_thread *thread, struct swi_row *row, uint32_t first,
                     uint32_t count);

/* ---- rows ---- */

void swi_row_counts_free(struct swi_row *row);
void swi_row_counts_reset(struct swi_row *row);
/* Copies the slots that there is room for. Returns how many there are. */
size_t swi_row_counts_copy(const struct swi_row *row, struct swi_use *to, size_t room);
/* The same for ended region i. */
size_t swi_ended_counts_copy(const struct swi_counting *counting, uint32_t i, struct swi_use *to,
                             size_t room);
/* Adds one use to another. Of peaks, the largest counts. */
void swi_use_add(struct swi_use *sum, const struct swi_use *more, enum sw_counter_kind kind);

#endif
