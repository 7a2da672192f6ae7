/* SPDX-License-Identifier: MIT */
/* counter.h - an entry of the table of counters: a 64-bit number of the calling OS thread that
 * never decreases, and how to read it. To add a counter, add a file here and a word in
 * counter.h. */
#ifndef CORE_COUNTERS_COUNTER_H
#define CORE_COUNTERS_COUNTER_H

#include <stepwatch/error.h>
#include <stepwatch/report.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swi_counter {
    const char *name;  /* in the configuration: "page_faults" */
    const char *label; /* in tables: "Page Faults" */
    const char *unit;  /* "B", "ns", or "" for a count */
    enum sw_counter_kind kind;
    const char *help; /* what it counts */

    /* Checks that the calling thread can read it. Returns 0, or SW_E... and err says why not and
     * what to do. NULL if it can always be read. */
    int (*open)(struct sw_error *err);

    /* Sets the value of the calling thread. Returns false if it cannot be read now. A counter that
     * is a word in memory has `word` instead, which returns its address, or NULL. */
    bool (*read)(int64_t *value);
    const int64_t *(*word)(void);

    /* Reading the counter adds to it. The least of some differences between two readings in a row
     * is subtracted from each region. */
    bool reading_counts;

    /* Returns whether the counter stood still for a part of the time between the calling thread's
     * last two readings. Then what the regions that were open used is not known. NULL: never. */
    bool (*gap)(void);

    /* Returns whether the calling thread needs a system call for each reading. Such a counter is
     * only read for steps, unless the configuration asks for regions. NULL: for each region. */
    bool (*slow)(void);

    /* Only for SW_COUNTER_PEAK: returns the address of the calling thread's peak, which a region
     * resets, or NULL. `word` is the number whose peak it is. */
    int64_t *(*peak)(void);
};

/* ---- the counters that a configuration chooses: `counters: [allocated, cpu: steps]` ---------- */

/* How many may be chosen. */
enum { SWI_COUNTER_CHOICES = 8 };

struct swi_counter_choice {
    const struct swi_counter *counter; /* NULL ends a list */
    bool regions;                      /* read for each region, also if that is slow */
    bool steps_only;                   /* only read for fit, epoch, train, valid, draw and batch */
};

/* ---- the program's own counters, by name ----------------------------------------------------- */

/* Handles are numbers from 0 to SWI_USER_COUNTERS - 1. The last one is "other". */
enum { SWI_USER_COUNTERS = 65 };

/* Call it in the child of a fork: another thread may have held the lock. */
void swi_user_counters_child(void);

/* Returns the name of a handle, as static text. */
const char *swi_user_counter_name(int counter);

/* Returns the unit of the counter with this name, as static text: a bytes counter is shown in
 * bytes. */
const char *swi_user_counter_unit(const char *name);

/* ---- all counters ---------------------------------------------------------------------------- */

/* All counters that a configuration may name. To add one, add its name here and
 * define swi_counter_NAME in a file of this folder. */

/* clang-format off */
#define SWI_COUNTERS(EACH)                                                                         \
    EACH(cpu) EACH(cpu_wait)                                                                       \
    EACH(page_faults) EACH(major_faults) EACH(switches) EACH(preempted)                            \
    EACH(cycles) EACH(instructions) EACH(cache_misses) EACH(branch_misses)                         \
    EACH(stalled_frontend) EACH(stalled_backend)                                                   \
    EACH(allocated) EACH(freed) EACH(allocs) EACH(frees) EACH(net) EACH(peak)
/* clang-format on */

#define SWI_COUNTER_DECLARE(name) extern const struct swi_counter swi_counter_##name;
SWI_COUNTERS(SWI_COUNTER_DECLARE)
#undef SWI_COUNTER_DECLARE

/* Returns counter i, from 0; NULL after the last. */
const struct swi_counter *swi_counters_at(size_t i);
/* Returns the counter with this name, or NULL. */
const struct swi_counter *swi_counters_find(const char *name);
/* Returns the most similar name of a counter, or NULL. */
const char *swi_counters_nearest(const char *name);

/* Lets one system call read several counters: each reading of a thread has a number, and the file
 * that makes the call keeps its result for that number. */
extern __attribute__((visibility("hidden"))) _Thread_local uint64_t swi_reading_number;

/* ---- events of the processor by a name that no table lists ----------------------------------- */

/* Returns the counter of an event: raw:0xCODE or pfm:NAME; NULL, and err says why, if there is no
 * such event. A counter that only this machine lacks is returned: its open() says why. Valid until
 * the process ends. */
const struct swi_counter *swi_hardware_counter(const char *name, struct sw_error *err);

#endif
