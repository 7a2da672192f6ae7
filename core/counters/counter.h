/* SPDX-License-Identifier: MIT */
/* counter.h - one row of the table of counters: a 64-bit number of the calling OS thread that never
 * falls, and how to read it. A counter is a file here and a word in counter_table.h. */
#ifndef CORE_COUNTERS_COUNTER_H
#define CORE_COUNTERS_COUNTER_H

#include <stepwatch/error.h>
#include <stepwatch/report.h>

#include <stdbool.h>
#include <stdint.h>

struct swi_counter {
    const char *name;  /* in the configuration: "page_faults" */
    const char *label; /* in tables: "Page Faults" */
    const char *unit;  /* "B", "ns", or "" for a count */
    enum sw_counter_kind kind;
    const char *help; /* what it counts */

    /* Whether the calling thread can read it; otherwise SW_E… with the reason and what to do.
     * NULL: always. */
    int (*open)(struct sw_error *err);

    /* Sets the calling thread's value. False: it cannot be read now. A counter that is a word of
     * the thread has `word` instead, which returns where that is; NULL: nowhere. */
    bool (*read)(int64_t *value);
    const int64_t *(*word)(void);

    /* Reading it twice in a row gives a difference, which is no region's use: the least of some
     * is taken off. */
    bool reading_counts;

    /* SW_COUNTER_PEAK: a water mark of the calling thread that a region sets back; NULL: nowhere.
     * `word` is the number whose water mark it is. */
    int64_t *(*peak)(void);
};

#endif
