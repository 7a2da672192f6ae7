/* SPDX-License-Identifier: MIT */
#include "core/counters/counted_memory.h"
#include "core/rows/counter_use.h"
#include "core/rows/fold_memory.h"
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

/* A use of INT64_MAX may be larger. */
static void sum_add(int64_t *sum, bool *full, int64_t use)
{
    int64_t before = *sum;
    *full = *full || use == INT64_MAX || __builtin_add_overflow(before, use, sum);
    *sum = (int64_t)((uint64_t)before + (uint64_t)use);
}

/* Makes room for a slot. Returns false if out of memory. */
static bool row_reach(struct swi_row *row, size_t slot)
{
    SWI_OWN_MEMORY;
    enum { MORE = 4 };
    if (slot < row->uses_room)
        return true;
    size_t room = (slot / MORE + 1) * MORE;
    struct swi_row_counter_use *uses =
        swi_fold_grow(row->uses, row->uses_room * sizeof *uses, room * sizeof *uses);
    if (!uses)
        return false;
    row->uses = uses;
    row->uses_room = room;
    return true;
}

/* Without memory, nothing is added. */
void swi_row_counter_use_add(struct swi_row *row, int slot, const struct swi_slot_use *use,
                             bool is_peak, int64_t more)
{
    if ((!use->known && !use->missed) || !row_reach(row, (size_t)slot))
        return;
    struct swi_row_counter_use *sums = &row->uses[slot];
    if (!use->known) {
        sums->missed += 1 + more;
        return;
    }
    sum_add(&sums->self, &sums->full_self, use->self);
    if (!is_peak)
        sum_add(&sums->total, &sums->full_total, use->total);
    else if (use->total > sums->total)
        sums->total = use->total;
}

void swi_row_counter_use_reset(struct swi_row *row)
{
    for (size_t i = 0; i < row->uses_room; i++)
        row->uses[i] = (struct swi_row_counter_use){0};
}

void swi_row_counter_use_look(struct swi_row *row, int slot)
{
    if ((size_t)slot >= row->uses_room)
        return;
    struct swi_row_counter_use *sums = &row->uses[slot];
    sums->full_total = sums->full_total || sums->total < 0;
    sums->full_self = sums->full_self || sums->self < 0;
}

struct swi_use swi_row_counter_use_get(const struct swi_row *row, size_t slot)
{
    const struct swi_row_counter_use *sums = &row->uses[slot];
    return (struct swi_use){sums->full_total ? INT64_MAX : sums->total,
                            sums->full_self ? INT64_MAX : sums->self, sums->missed, 0};
}

void swi_use_add(struct swi_use *sum, const struct swi_use *more, enum sw_counter_kind kind)
{
    if (kind == SW_COUNTER_PEAK)
        sum->total = more->total > sum->total ? more->total : sum->total;
    else
        sum->total = swi_sum_of_uses(sum->total, more->total);
    sum->self = swi_sum_of_uses(sum->self, more->self);
    sum->inner = swi_sum_of_uses(sum->inner, more->inner);
    sum->missed += more->missed;
}

void swi_counting_look_again(struct swi_counting *counting)
{
    for (int i = 0; i < counting->chosen; i++) {
        counting->slot[i].steps_only = counting->counters->slot[i].steps_only;
        counting->slot[i].is_peak = counting->counters->slot[i].kind == SW_COUNTER_PEAK;
    }
}

struct swi_counting *swi_counting_new(struct swi_counters *counters,
                                      const struct swi_thread *thread)
{
    struct swi_counting *counting = swi_fold_alloc(sizeof *counting);
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
    for (int i = 0; i < SWI_SLOTS; i++) {
        swi_fold_free(counting->slot[i].frame);
        swi_fold_free(counting->slot[i].ended);
    }
    free(counting->given);
    swi_fold_free(counting);
}

/* Regions that are open when counting begins have counted nothing. */
static bool frames_grow(struct swi_slot_count *slot, size_t room)
{
    struct swi_frame_count *frame =
        swi_fold_grow(slot->frame, slot->frame_room * sizeof *frame, room * sizeof *frame);
    if (!frame)
        return false;
    slot->frame = frame;
    for (; slot->frame_room < room; slot->frame_room++)
        frame[slot->frame_room] = (struct swi_frame_count){.applies = true};
    return true;
}

static bool ended_grow(struct swi_slot_count *slot, uint32_t room)
{
    struct swi_slot_use *ended =
        swi_fold_grow(slot->ended, slot->ended_room * sizeof *ended, room * sizeof *ended);
    if (!ended)
        return false;
    slot->ended = ended;
    slot->ended_room = room;
    return true;
}

static bool slot_room(struct swi_slot_count *slot, size_t frames, uint32_t ended)
{
    return (slot->frame_room >= frames || frames_grow(slot, frames)) &&
           (slot->ended_room >= ended || ended_grow(slot, ended));
}

bool swi_counting_room(struct swi_counting *counting, size_t frames, uint32_t ended)
{
    bool fine = true;
    for (int i = 0; i < counting->active && fine; i++)
        fine = slot_room(&counting->slot[i], frames, ended);
    return fine;
}

/* Of a slot that comes later, regions that ended while others were counted have used nothing. */
static void unused_note(struct swi_counting *counting, int slot)
{
    const struct swi_slot_use *first = counting->slot[0].ended;
    struct swi_slot_use *ended = counting->slot[slot].ended;
    for (uint32_t i = 0; counting->active && i < counting->slot[slot].ended_room; i++)
        ended[i].known = counting->chosen || first[i].known || first[i].missed;
}

bool swi_counting_grow(struct swi_counting *counting, const struct swi_thread *thread, int slots)
{
    for (int i = counting->active; i < slots; i++) {
        if (!slot_room(&counting->slot[i], (size_t)thread->frame_capacity, thread->ended_capacity))
            return false;
        unused_note(counting, i);
    }
    counting->active = slots > counting->active ? slots : counting->active;
    return true;
}
