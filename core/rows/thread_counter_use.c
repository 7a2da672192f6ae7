/* SPDX-License-Identifier: MIT */
#include "core/rows/thread_counter_use.h"
#include "core/rows/thread.h"

#include <stdlib.h>
#include <string.h>

/* Arrays that were too small. */
struct swi_outgrown_counts {
    struct swi_outgrown_counts *next;
    void *memory;
};

void swi_counting_look_again(struct swi_counting *counting)
{
    const struct swi_counters *counters = counting->counters;
    bool plain = !counters->replayed;
    for (int i = 0; i < counting->chosen; i++) {
        const struct swi_slot *slot = &counters->slot[i];
        if (slot->steps_only)
            counting->steps_only[i / SWI_BANK] |= swi_slot_bit(i);
        if (slot->kind == SW_COUNTER_PEAK)
            counting->peaks[i / SWI_BANK] |= swi_slot_bit(i);
        plain = plain && slot->counter && slot->counter->word && !slot->steps_only && !slot->less;
    }
    for (int i = 0; i < SWI_BANK; i++)
        counting->summed[i] = counting->peaks[0] & swi_slot_bit(i) ? 0 : -1;
    counting->plain = plain;
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
        free(atomic_load(&counting->bank[b].ended));
    }
    for (struct swi_outgrown_counts *old = counting->outgrown, *next; old; old = next) {
        next = old->next;
        free(old->memory);
        free(old);
    }
    free(counting->given);
    free(counting);
}

static bool outgrow(struct swi_counting *counting, void *memory)
{
    struct swi_outgrown_counts *old = malloc(sizeof *old);
    if (!old)
        return false;
    *old = (struct swi_outgrown_counts){counting->outgrown, memory};
    counting->outgrown = old;
    return true;
}

static bool ended_grow(struct swi_counting *counting, struct swi_bank *bank, uint32_t room)
{
    struct swi_ended_counts *old = SWI_GET(bank->ended), *grown = calloc(room, sizeof *grown);
    if (!grown || (old && !outgrow(counting, old))) {
        free(grown);
        return false;
    }
    if (old)
        memcpy(grown, old, bank->ended_room * sizeof *grown);
    atomic_store_explicit(&bank->ended, grown, memory_order_release);
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
        if (bank->ended_room < ended && !ended_grow(counting, bank, ended))
            return false;
    }
    return true;
}

bool swi_counting_grow(struct swi_counting *counting, const struct swi_thread *thread, int slots)
{
    int banks = (slots + SWI_BANK - 1) / SWI_BANK, before = counting->banks;
    counting->banks = banks = banks > before ? banks : before;
    if (!swi_counting_room(counting, (size_t)thread->frame_capacity, thread->ended_capacity)) {
        counting->banks = before;
        return false;
    }
    /* Words are read in twos: an odd one has a neighbour, which is always 0. */
    for (int i = counting->chosen; i < (slots + 1) / 2 * 2; i++)
        counting->word[i] = &counting->value[i];
    counting->active = slots > counting->active ? slots : counting->active;
    counting->plain = counting->plain && banks <= 1;
    return true;
}
