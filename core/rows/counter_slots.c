/* SPDX-License-Identifier: MIT */
#include "core/counters/counted_memory.h"
#include "core/rows/counter_use.h"
#include "core/rows/row.h"
#include "core/rows/thread.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

struct swi_slot swi_counters_slot(const struct swi_counters *counters, int i)
{
    if (i < counters->chosen)
        return counters->slot[i];
    const char *name = swi_user_counter_name(i - counters->chosen);
    return (struct swi_slot){
        .name = name, .label = name, .unit = swi_user_counter_unit(name), .kind = SW_COUNTER_SUM};
}

const struct sw_counter_info *swi_counters_info(const struct swi_counters *counters, int i)
{
    return &counters->info[i];
}

void swi_counters_tell(struct swi_counters *counters, int i)
{
    struct swi_slot slot = swi_counters_slot(counters, i);
    counters->info[i] = (struct sw_counter_info){.size = sizeof counters->info[i],
                                                 .name = slot.name,
                                                 .unit = slot.unit,
                                                 .kind = slot.kind,
                                                 .number = i,
                                                 .less = slot.less,
                                                 .steps_only = slot.steps_only,
                                                 .standard = (int)slot.shown};
}

bool swi_counters_shows(const struct swi_counters *counters, int i)
{
    return i < counters->chosen || atomic_load(&counters->counted[i - counters->chosen]);
}

bool swi_counters_may_fall(const struct swi_counters *counters, int i)
{
    return i < counters->chosen && !counters->slot[i].own;
}

bool swi_counters_is_wide(int action)
{
    return (action >= SW_FIT && action <= SW_VALID) || action == SW_DRAW || action == SW_BATCH ||
           action == SW_STEP;
}

bool swi_counters_applies(const struct swi_counters *counters, int i, int action)
{
    return i >= counters->chosen || !counters->slot[i].steps_only || swi_counters_is_wide(action);
}

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
            counts->missed[i] = counts->missed[i] + 1 + uses->more;
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

void swi_counting_look_again(struct swi_counting *counting)
{
    const struct swi_counters *counters = counting->counters;
    for (int i = 0; i < counting->chosen; i++) {
        const struct swi_slot *slot = &counters->slot[i];
        if (slot->steps_only)
            counting->steps_only[i / SWI_BANK] |= swi_slot_bit(i);
        if (slot->kind == SW_COUNTER_PEAK)
            counting->peaks[i / SWI_BANK] |= swi_slot_bit(i);
    }
}

struct swi_counting *swi_counting_new(struct swi_counters *counters,
                                      const struct swi_thread *thread)
{
    struct swi_counting *counting = calloc(1, sizeof *counting);
    if (!counting)
        return NULL;
    counting->counters = counters;
    counting->chosen = counters->chosen;
    swi_counting_look_again(counting);
    if (swi_counting_grow(counting, thread, counters->chosen))
        return counting;
    swi_counting_free(counting);
    return NULL;
}

void swi_counting_free(struct swi_counting *counting)
{
    if (!counting)
        return;
    for (int b = 0; b < SWI_BANKS; b++) {
        free(counting->bank[b].frame);
        free(counting->bank[b].ended);
    }
    free(counting->given);
    free(counting);
}

static bool ended_grow(struct swi_bank *bank, uint32_t room)
{
    struct swi_ended_counts *grown = realloc(bank->ended, room * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + bank->ended_room, 0, (room - bank->ended_room) * sizeof *grown);
    bank->ended = grown;
    bank->ended_room = room;
    return true;
}

/* Grows the counts of open regions. Those that are open when counting begins have counted nothing.
 */
static bool frames_grow(struct swi_bank *bank, size_t room)
{
    struct swi_frame_counts *grown = calloc(room, sizeof *grown);
    if (!grown)
        return false;
    if (bank->frame)
        memcpy(grown, bank->frame, bank->frame_room * sizeof *grown);
    for (size_t i = bank->frame_room; i < room; i++)
        grown[i].applies = UINT8_MAX;
    free(bank->frame);
    bank->frame = grown;
    bank->frame_room = room;
    return true;
}

bool swi_counting_room(struct swi_counting *counting, size_t frames, uint32_t ended)
{
    for (int b = 0; b < counting->banks; b++) {
        struct swi_bank *bank = &counting->bank[b];
        if (bank->frame_room < frames && !frames_grow(bank, frames))
            return false;
        if (bank->ended_room < ended && !ended_grow(bank, ended))
            return false;
    }
    return true;
}

bool swi_counting_grow(struct swi_counting *counting, const struct swi_thread *thread, int slots)
{
    int banks = (slots + SWI_BANK - 1) / SWI_BANK, before = counting->banks;
    counting->banks = banks > before ? banks : before;
    if (!swi_counting_room(counting, (size_t)thread->frame_capacity, thread->ended_capacity)) {
        counting->banks = before;
        return false;
    }
    counting->active = slots > counting->active ? slots : counting->active;
    return true;
}
