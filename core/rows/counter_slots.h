/* SPDX-License-Identifier: MIT */
/* counter_slots.h - the counters of a profiler. Each has a number, its slot. Eight neighbouring
 * slots are a bank. */
#ifndef CORE_ROWS_COUNTER_SLOTS_H
#define CORE_ROWS_COUNTER_SLOTS_H

#include "core/counters/counter_choice.h"
#include "core/counters/counter.h"
#include "core/counters/user.h"

#include <stepwatch/sink.h>

#include <stdatomic.h>

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

/* Returns the bit of a slot in its bank. */
static inline uint8_t swi_slot_bit(int slot)
{
    return (uint8_t)(1U << slot % SWI_BANK);
}

#endif
