/* SPDX-License-Identifier: MIT */
/* row_counter_use.h - what the calls of a row used of each counter. */
#ifndef CORE_ROWS_ROW_COUNTER_USE_H
#define CORE_ROWS_ROW_COUNTER_USE_H

#include "core/rows/counter_slots.h"

#include <stdatomic.h>
#include <stddef.h>

struct swi_row;

/* The counts of a row in a bank. */
struct swi_row_counter_use {
    /* Of a counter that never falls, sums from 2^63 on are negative. */
    int64_t total[SWI_BANK], self[SWI_BANK], missed[SWI_BANK];
    uint8_t full_total, full_self;    /* bits of the slots whose sums have been that large */
    struct swi_row_counter_use *next; /* the next bank */
};

/* The same as plain numbers. */
struct swi_use {
    int64_t total, self, missed;
};

/* The use of a region in a bank. */
struct swi_bank_use {
    int64_t total[SWI_BANK], self[SWI_BANK];
    uint8_t known, missed; /* bits of the slots */
};

/* Adds the use of a region in the first `slots` slots of bank b. peaks: bits of the slots that are
 * peaks. Call it between change and changed. */
void swi_row_counter_use_add(struct swi_row *row, int b, const struct swi_bank_use *uses, int slots,
                             uint8_t peaks);

/* Releases the counts of a row, or sets them to 0. */
void swi_row_counter_use_free(struct swi_row *row);
void swi_row_counter_use_reset(struct swi_row *row);
/* Copies the slots that there is room for. Returns how many there are. */
size_t swi_row_counter_use_copy(const struct swi_row *row, struct swi_use *to, size_t room);

/* Notes which sums of a slot are from 2^63 on. Call it between change and changed, after each 2^62
 * that are counted. */
void swi_row_counter_use_look(struct swi_row *row, int slot);

/* Returns the sum, or INT64_MAX if it is larger. */
static inline int64_t swi_sum_of_uses(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN + 1 : INT64_MAX) : sum;
}

/* Adds one use to another; a sum is at most INT64_MAX. Of peaks, the largest counts. */
void swi_use_add(struct swi_use *sum, const struct swi_use *more, enum sw_counter_kind kind);

#endif
