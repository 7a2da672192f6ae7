/* SPDX-License-Identifier: MIT */
#include "core/rows/row_counter_use.h"
#include "core/counters/counted_memory.h"
#include "core/rows/row.h"

#include <stdlib.h>

static struct swi_row_counter_use *row_counts_new(void)
{
    SWI_OWN_MEMORY;
    return calloc(1, sizeof(struct swi_row_counter_use));
}

/* Returns the counts of a row in a bank, or NULL if out of memory. */
static struct swi_row_counter_use *row_counts(struct swi_row *row, int bank)
{
    struct swi_row_counter_use **at = &row->counts;
    for (;; bank--) {
        struct swi_row_counter_use *counts = (*at);
        if (!counts) {
            counts = row_counts_new();
            *at = counts;
        }
        if (!counts)
            return NULL;
        if (bank == 0)
            return counts;
        at = &counts->next;
    }
}

static uint8_t bit_of(int i)
{
    return (uint8_t)(1U << i);
}

/* A use of INT64_MAX may be larger. */
static void sum_add(int64_t *sum, uint8_t *full, int i, int64_t use)
{
    int64_t before = (*sum), after;
    if (__builtin_add_overflow(before, use, &after) || use == INT64_MAX)
        *full = (*full) | bit_of(i);
    *sum = after;
}

static void total_add(struct swi_row_counter_use *counts, int i, int64_t total, bool peak)
{
    if (!peak)
        sum_add(&counts->total[i], &counts->full_total, i, total);
    else if (total > counts->total[i])
        counts->total[i] = total;
}

void swi_row_counter_use_add(struct swi_row *row, int b, const struct swi_bank_use *uses, int slots,
                             uint8_t peaks)
{
    struct swi_row_counter_use *counts = row_counts(row, b);
    for (int i = 0; counts && i < slots; i++) {
        if (uses->known >> i & 1) {
            total_add(counts, i, uses->total[i], peaks >> i & 1);
            sum_add(&counts->self[i], &counts->full_self, i, uses->self[i]);
        } else if (uses->missed >> i & 1) {
            counts->missed[i] = counts->missed[i] + 1;
        }
    }
}

void swi_row_counter_use_free(struct swi_row *row)
{
    for (struct swi_row_counter_use *counts = row->counts, *next; counts; counts = next) {
        next = counts->next;
        free(counts);
    }
}

void swi_row_counter_use_reset(struct swi_row *row)
{
    struct swi_row_counter_use *counts = row->counts;
    for (; counts; counts = counts->next) {
        for (int i = 0; i < SWI_BANK; i++) {
            counts->total[i] = 0;
            counts->self[i] = 0;
            counts->missed[i] = 0;
        }
        counts->full_total = 0;
        counts->full_self = 0;
    }
}

void swi_row_counter_use_look(struct swi_row *row, int slot)
{
    struct swi_row_counter_use *counts = row->counts;
    for (int bank = slot / SWI_BANK; counts && bank; bank--)
        counts = counts->next;
    int i = slot % SWI_BANK;
    if (counts && counts->total[i] < 0)
        counts->full_total = counts->full_total | bit_of(i);
    if (counts && counts->self[i] < 0)
        counts->full_self = counts->full_self | bit_of(i);
}

static struct swi_use use_of(const struct swi_row_counter_use *counts, int i)
{
    bool total = counts->full_total & bit_of(i), self = counts->full_self & bit_of(i);
    return (struct swi_use){total ? INT64_MAX : counts->total[i],
                            self ? INT64_MAX : counts->self[i], counts->missed[i]};
}

size_t swi_row_counter_use_copy(const struct swi_row *row, struct swi_use *to, size_t room)
{
    size_t count = 0;
    const struct swi_row_counter_use *counts = row->counts;
    for (; counts; counts = counts->next)
        for (int i = 0; i < SWI_BANK; i++, count++)
            if (count < room)
                to[count] = use_of(counts, i);
    return count;
}

void swi_use_add(struct swi_use *sum, const struct swi_use *more, enum sw_counter_kind kind)
{
    if (kind == SW_COUNTER_PEAK)
        sum->total = more->total > sum->total ? more->total : sum->total;
    else
        sum->total = swi_sum_of_uses(sum->total, more->total);
    sum->self = swi_sum_of_uses(sum->self, more->self);
    sum->missed += more->missed;
}
