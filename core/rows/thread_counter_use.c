/* SPDX-License-Identifier: MIT */
#include "core/rows/thread_counter_use.h"
#include "core/rows/thread.h"

#include <stdlib.h>
#include <string.h>

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
