/* SPDX-License-Identifier: MIT */
/* counter_use.h - how much the regions of a thread use of its counters: the differences between
 * the values at their end and at their begin, by the same rules as durations. */
#ifndef CORE_ROWS_COUNTER_USE_H
#define CORE_ROWS_COUNTER_USE_H

#include "core/counters/counter.h"

#include <stepwatch/sink.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- the counters of a profiler, and what its rows and its threads keep of them -------------- */

/* Each counter has a number, its slot. */
enum { SWI_SLOTS = SWI_COUNTER_CHOICES + SWI_USER_COUNTERS };

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
    bool own; /* of a replayed run: a counter of its program */
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
/* Returns whether a sum may be negative. The program's own counters never fall. */
bool swi_counters_may_fall(const struct swi_counters *counters, int i);
/* Returns whether a report shows a slot. Own counters are shown after they were counted. */
bool swi_counters_shows(const struct swi_counters *counters, int i);
/* Returns whether regions of an action have a slot. */
bool swi_counters_applies(const struct swi_counters *counters, int i, int action);

/* Returns whether an action has counters that are read for steps only. */
bool swi_counters_is_wide(int action);

/* ---- what the calls of a row used of each counter ------------------------------------------- */

struct swi_row;

/* The uses of a row's calls, of a slot. */
struct swi_row_counter_use {
    /* Of a counter that never falls, sums from 2^63 on are negative. */
    int64_t total, self, missed;
    bool full_total, full_self; /* the sum has been that large */
};

/* The same as plain numbers. */
struct swi_use {
    int64_t total, self, missed;
    int64_t inner; /* of calls inside a call of the same row, which are not in the total */
};

/* What a region used of a slot. Neither known nor missed: it does not have the slot. */
struct swi_slot_use {
    int64_t total, self;
    bool known, missed;
};

/* Adds the use of a region, or of `more` regions more that are alike. */
void swi_row_counter_use_add(struct swi_row *row, int slot, const struct swi_slot_use *use,
                             bool is_peak, int64_t more);

/* Sets the uses of a row to 0. */
void swi_row_counter_use_reset(struct swi_row *row);
/* Returns the sums of one of row->uses_room slots. */
struct swi_use swi_row_counter_use_get(const struct swi_row *row, size_t slot);

/* Notes whether the sums of a slot are from 2^63 on. Call it after each 2^62 that are counted. */
void swi_row_counter_use_look(struct swi_row *row, int slot);

/* Returns the sum, or INT64_MAX if it is larger. */
static inline int64_t swi_sum_of_uses(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN + 1 : INT64_MAX) : sum;
}

/* Adds one use to another; a sum is at most INT64_MAX. Of peaks, the largest counts. */
void swi_use_add(struct swi_use *sum, const struct swi_use *more, enum sw_counter_kind kind);

/* ---- what a thread keeps of its counters ----------------------------------------------------- */

struct swi_thread;

/* What an open region counts in a slot. Threads without counters have none of this. */
struct swi_frame_count {
    int64_t start;
    int64_t inside;      /* use of the counted regions inside; of a peak: 0 */
    int64_t peak_before; /* the peak of the region around it so far, if it is one */
    bool applies;        /* the region has the slot */
    bool missed;         /* it could not be read, or `large` */
    bool large;          /* it used 2^62 or more */
    bool full;           /* it used 2^63 or more */
};

/* A slot of a thread. */
struct swi_slot_count {
    struct swi_frame_count *frame; /* by depth; the first does not belong to a region */
    struct swi_slot_use *ended;    /* by index in thread->ended: what is not in its row yet */
    size_t frame_room;
    uint32_t ended_room;
    bool steps_only, is_peak;
    bool unread;   /* it could not be read last time */
    int64_t value; /* read last; own counters: current */
    int64_t peak;  /* the largest since the innermost region began */
    int64_t value_at_pause, peak_at_pause;
    int64_t traced;     /* as the trace of the thread has it */
    int64_t marked;     /* as the marks of fit, epoch, train and valid have it */
    int64_t ended_peak; /* of the region that ended last */
};

struct swi_counting {
    struct swi_counters *counters;
    int active; /* slots in use */
    int chosen;
    bool begun; /* it was read once */
    struct swi_slot_count slot[SWI_SLOTS];
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

/* Call these when the innermost region of a thread begins and ends, with the values read. The end
 * comes before the region leaves the stack. row: gets the use at once; if NULL, ended[index] gets
 * it. */
void swi_counter_use_begin(struct swi_counting *counting, int depth, int action);
void swi_counter_use_end(struct swi_counting *counting, int depth, struct swi_row *row,
                         uint32_t index);

/* Discards the innermost region. Regions that ended inside it still count: a replay may say how
 * much they used together. */
void swi_counter_use_drop(struct swi_counting *counting, int depth);

/* Inserts a region at a depth, and moves those above it up by one. It begins with the values at the
 * bottom of the stack, or with the current ones. */
void swi_counter_use_insert(struct swi_counting *counting, int depth, int top, bool from_bottom);

/* Marks the use of open regions as not known, because they are on another OS thread now. own: of
 * own counters, too. */
void swi_counter_use_lose(struct swi_counting *counting, int depth, bool own);

/* The same of one slot. */
void swi_counter_use_lose_slot(struct swi_counting *counting, int depth, int slot);

/* The value of an own counter is a multiple of this: call swi_counter_use_look(). */
#define SWI_MUCH (UINT64_C(1) << 62)

/* Notes for which open regions, rows and sums of a thread a slot has become too much for an
 * int64_t.
 */
void swi_counter_use_look(struct swi_thread *thread, int slot);

/* Makes the values that were read last those of the thread's first call, with nothing inside it. */
void swi_counter_use_first(struct swi_counting *counting);

/* What is counted between these calls belongs to no region. */
void swi_counter_use_pause(struct swi_counting *counting);
void swi_counter_use_resume(struct swi_counting *counting, int depth);

/* Returns how much a slot has gone up since the value in *last, which becomes the current one.
 * SW_COUNTER_NONE if it cannot be read. */
int64_t swi_counter_use_increase(const struct swi_counting *counting, int slot, int64_t *last);

/* What region i that ended has of a slot. False where it has nothing of it. */
bool swi_counter_use_of_ended(const struct swi_counting *counting, uint32_t i, int slot,
                              int64_t *total, int64_t *self);

/* Region i that ended: into its row, in whose sums it is not yet; to place `to`. more: it is the
 * sum of so many more regions. */
void swi_counter_use_fold(const struct swi_thread *thread, uint32_t i, int64_t more);
void swi_counter_use_shift(const struct swi_counting *counting, uint32_t to, uint32_t from);

/* Adds the use of a step to its row: that of its draws, in [from, first), and of the batch, which
 * ended last. */
void swi_counter_use_step(const struct swi_thread *thread, struct swi_row *row, uint32_t from,
                          uint32_t first, uint32_t count, int64_t more);

#endif
