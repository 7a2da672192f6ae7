/* SPDX-License-Identifier: MIT */
#include "core/rows/counter_use.h"
#include "core/counters/counted_memory.h"
#include "core/rows/thread.h"

#include <string.h>

/* ---- begin and end --------------------------------------------------------------------------- */

/* Returns how many slots of a bank are in use. */
static int slots_in(const struct swi_counting *counting, int bank)
{
    int left = counting->active - bank * SWI_BANK;
    return left < SWI_BANK ? left : SWI_BANK;
}

/* Returns the slots of a bank that regions of an action have. */
static uint8_t applying(const struct swi_counting *counting, int bank, int action)
{
    return swi_counters_is_wide(action) ? UINT8_MAX : (uint8_t)~counting->steps_only[bank];
}

/* Begins a new peak at the current value. */
static void peak_begin(struct swi_counting *counting, struct swi_frame_counts *frame, int slot)
{
    frame->peak_before = counting->peak[slot];
    counting->peak[slot] = frame->start[slot % SWI_BANK];
}

static void peaks_begin(struct swi_counting *counting, int b, struct swi_frame_counts *frame)
{
    for (unsigned left = counting->peaks[b] & frame->applies; left; left &= left - 1)
        peak_begin(counting, frame, b * SWI_BANK + __builtin_ctz(left));
}

void swi_counter_use_begin(struct swi_counting *counting, int depth, int action)
{
    for (int b = 0; b < counting->banks; b++) {
        struct swi_frame_counts *frame = &counting->bank[b].frame[depth];
        memcpy(frame->start, &counting->value[(ptrdiff_t)b * SWI_BANK], sizeof frame->start);
        memset(frame->inside, 0, sizeof frame->inside);
        frame->applies = applying(counting, b, action);
        frame->missed = counting->unread[b];
        frame->large = frame->full = 0;
        if (counting->peaks[b])
            peaks_begin(counting, b, frame);
    }
}

/* Sets the peak for the enclosing region: the larger of both. */
static void peak_restore(struct swi_counting *counting, const struct swi_frame_counts *frame,
                         int slot)
{
    if (frame->peak_before > counting->peak[slot])
        counting->peak[slot] = frame->peak_before;
}

/* Returns the use of a peak, or 0 if it is not known. */
static int64_t peak_end(struct swi_counting *counting, const struct swi_frame_counts *frame,
                        int slot)
{
    if (counting->counters->replayed)
        return counting->value[slot];
    int64_t use = counting->peak[slot] - frame->start[slot % SWI_BANK];
    peak_restore(counting, frame, slot);
    return use > 0 ? use : 0;
}

static int64_t use_of(const struct swi_counting *counting, const struct swi_frame_counts *frame,
                      int slot)
{
    int64_t less = slot < counting->chosen ? counting->counters->slot[slot].less : 0;
    uint64_t use =
        (uint64_t)counting->value[slot] - (uint64_t)frame->start[slot % SWI_BANK] - (uint64_t)less;
    return less && (int64_t)use < 0 ? 0 : (int64_t)use;
}

/* A replay may say what the region used. False where it did not. */
static bool use_given(struct swi_counting *counting, int slot, struct swi_bank_use *uses)
{
    int i = slot % SWI_BANK;
    if (!counting->given || !counting->given[slot].any)
        return false;
    uses->total[i] = counting->given[slot].total;
    uses->self[i] = counting->given[slot].self;
    counting->given[slot].any = false;
    if (uses->total[i] != SW_COUNTER_NONE)
        return true;
    uses->known &= (uint8_t)~swi_slot_bit(slot);
    uses->missed |= swi_slot_bit(slot);
    return true;
}

/* Values, and what they are compared with, are modulo 2^64. */
static void shift(int64_t *value, int64_t by)
{
    *value = (int64_t)((uint64_t)*value + (uint64_t)by);
}

/* Values and what lies inside are modulo 2^64, so each difference below 2^63 is exact. Returns what
 * is known of a use: INT64_MAX stands for all that is larger. */
static int64_t shown_of(const struct swi_counting *counting, int slot, int64_t use, bool full)
{
    bool large = full || (use < 0 && !swi_counters_may_fall(counting->counters, slot));
    return large ? INT64_MAX : use;
}

static void inside_add(struct swi_frame_counts *around, int i, int64_t use)
{
    shift(&around->inside[i], use);
}

static void uses_make(struct swi_counting *counting, int b, int depth, struct swi_bank_use *uses)
{
    struct swi_frame_counts *frame = &counting->bank[b].frame[depth], *around = frame - 1;
    int slots = slots_in(counting, b);
    *uses = (struct swi_bank_use){0};
    uint8_t lost = (uint8_t)(frame->missed & ~frame->large) | counting->unread[b];
    uses->known = frame->applies & (uint8_t)~lost;
    uses->missed = frame->applies & (uint8_t)~uses->known;
    for (int i = 0; i < slots; i++) {
        bool known = uses->known >> i & 1, peak = counting->peaks[b] >> i & 1;
        int slot = b * SWI_BANK + i;
        if (use_given(counting, slot, uses)) {
            bool sum = !peak && uses->known >> i & 1;
            inside_add(around, i, sum ? uses->total[i] : frame->inside[i]);
            counting->ended_peak[slot] = uses->total[i];
        } else if (peak && known) {
            uses->total[i] = counting->ended_peak[slot] = peak_end(counting, frame, slot);
        } else if (known) {
            int64_t use = use_of(counting, frame, slot);
            uses->total[i] = shown_of(counting, slot, use, frame->full >> i & 1);
            uses->self[i] = shown_of(counting, slot,
                                     (int64_t)((uint64_t)use - (uint64_t)frame->inside[i]), false);
            inside_add(around, i, use);
        } else if (!peak) {
            inside_add(around, i, frame->inside[i]);
        }
    }
}

static void row_add(struct swi_row *row, const struct swi_counting *counting, int b,
                    const struct swi_bank_use *uses)
{
    swi_row_counter_use_add(row, b, uses, slots_in(counting, b), counting->peaks[b]);
}

static void ended_put(struct swi_ended_counts *ended, const struct swi_bank_use *uses)
{
    for (int i = 0; i < SWI_BANK; i++) {
        ended->total[i] = uses->total[i];
        ended->self[i] = uses->self[i];
    }
    ended->known = uses->known;
    ended->missed = uses->missed;
}

/* Only slots in use can be missed. */
static void unused_leave_out(const struct swi_counting *counting, int b, struct swi_bank_use *uses)
{
    uses->missed &= (uint8_t)((1U << slots_in(counting, b)) - 1);
}

void swi_counter_use_end(struct swi_counting *counting, int depth, struct swi_row *row,
                         uint32_t index)
{
    for (int b = 0; b < counting->banks; b++) {
        struct swi_bank_use uses;
        uses_make(counting, b, depth, &uses);
        unused_leave_out(counting, b, &uses);
        if (row)
            row_add(row, counting, b, &uses);
        else
            ended_put(&counting->bank[b].ended[index], &uses);
    }
}

void swi_counter_use_drop(struct swi_counting *counting, int depth)
{
    for (int b = 0; b < counting->banks; b++) {
        struct swi_frame_counts *frame = &counting->bank[b].frame[depth], *around = frame - 1;
        for (int i = 0; i < SWI_BANK; i++) {
            if (!(counting->peaks[b] >> i & 1))
                inside_add(around, i, frame->inside[i]);
            else if (frame->applies & ~frame->missed & 1U << i)
                peak_restore(counting, frame, b * SWI_BANK + i);
        }
    }
}

void swi_counter_use_insert(struct swi_counting *counting, int depth, int top, bool from_bottom)
{
    for (int b = 0; b < counting->banks; b++) {
        struct swi_frame_counts *frame = counting->bank[b].frame;
        for (int i = top; i > depth; i--)
            frame[i] = frame[i - 1];
        if (from_bottom)
            frame[depth] = frame[0];
        else
            memcpy(frame[depth].start, &counting->value[(ptrdiff_t)b * SWI_BANK],
                   sizeof frame->start);
        if (!from_bottom)
            memset(frame[depth].inside, 0, sizeof frame->inside);
        frame[depth].applies = UINT8_MAX;
        frame[depth].missed = from_bottom ? frame[0].missed : counting->unread[b];
        frame[depth].large = from_bottom ? frame[0].large : 0;
        frame[depth].full = from_bottom ? frame[0].full : 0;
        memset(frame[0].inside, 0, sizeof frame->inside);
    }
}

static void slot_lose(struct swi_frame_counts *frame, uint8_t bit)
{
    frame->missed |= bit;
    frame->large &= (uint8_t)~bit;
}

void swi_counter_use_lose(struct swi_counting *counting, int depth, bool own)
{
    for (int b = 0; b < counting->banks; b++)
        for (int d = 0; d <= depth; d++)
            for (int i = 0; i < SWI_BANK; i++)
                if (own || b * SWI_BANK + i < counting->chosen)
                    slot_lose(&counting->bank[b].frame[d], (uint8_t)(1U << i));
}

void swi_counter_use_lose_slot(struct swi_counting *counting, int depth, int slot)
{
    struct swi_bank *bank = &counting->bank[slot / SWI_BANK];
    for (int d = 0; d <= depth && (size_t)d < bank->frame_room; d++)
        slot_lose(&bank->frame[d], swi_slot_bit(slot));
}

void swi_counter_use_first(struct swi_counting *counting)
{
    for (int b = 0; b < counting->banks; b++) {
        struct swi_frame_counts *bottom = counting->bank[b].frame;
        memcpy(bottom->start, &counting->value[(ptrdiff_t)b * SWI_BANK], sizeof bottom->start);
        memset(bottom->inside, 0, sizeof bottom->inside);
        bottom->missed = counting->unread[b];
        bottom->large = bottom->full = 0;
    }
}

/* ---- much --------------------------------------------------------------------------------------
 */

/* After each 2^62 that are counted: no use of 2^63 or more goes unnoticed in between. */
static void frames_look(struct swi_counting *counting, int depth, int slot)
{
    struct swi_frame_counts *frame = counting->bank[slot / SWI_BANK].frame;
    for (int d = 0; d <= depth; d++) {
        uint64_t use = (uint64_t)counting->value[slot] - (uint64_t)frame[d].start[slot % SWI_BANK];
        bool lost = frame[d].missed & ~frame[d].large & swi_slot_bit(slot);
        if (use < SWI_MUCH || lost)
            continue;
        frame[d].large |= swi_slot_bit(slot);
        frame[d].missed |= swi_slot_bit(slot);
        if (use > INT64_MAX)
            frame[d].full |= swi_slot_bit(slot);
    }
}

/* Keeps the distance below 2^63. */
static void last_look(const struct swi_counting *counting, int slot, int64_t last[])
{
    uint64_t value = (uint64_t)counting->value[slot];
    if (value - (uint64_t)last[slot] > INT64_MAX)
        last[slot] = (int64_t)(value - INT64_MAX);
}

void swi_counter_use_look(struct swi_thread *thread, int slot)
{
    struct swi_counting *counting = thread->counting;
    frames_look(counting, swi_depth(thread), slot);
    last_look(counting, slot, counting->traced);
    last_look(counting, slot, counting->marked);
    for (struct swi_row *row = thread->rows; row; row = row->next)
        swi_row_counter_use_look(row, slot);
}

/* ---- pauses ---------------------------------------------------------------------------------- */

void swi_counter_use_pause(struct swi_counting *counting)
{
    memcpy(counting->at_pause, counting->value, sizeof counting->value);
    memcpy(counting->peak_at_pause, counting->peak, sizeof counting->peak);
}

/* Sets the peak to where it was before the pause, relative to the region's begin. */
static void peak_resume(struct swi_counting *counting, int slot, int64_t paused)
{
    counting->peak[slot] = counting->peak_at_pause[slot] + paused;
}

void swi_counter_use_resume(struct swi_counting *counting, int depth)
{
    for (int slot = 0; slot < counting->active; slot++) {
        int64_t paused =
            (int64_t)((uint64_t)counting->value[slot] - (uint64_t)counting->at_pause[slot]);
        bool peak = counting->peaks[slot / SWI_BANK] & swi_slot_bit(slot);
        struct swi_frame_counts *frame = counting->bank[slot / SWI_BANK].frame;
        shift(&counting->traced[slot], paused);
        shift(&counting->marked[slot], paused);
        for (int d = 0; d <= depth; d++) {
            shift(&frame[d].start[slot % SWI_BANK], paused);
            if (peak)
                frame[d].peak_before += paused;
        }
        if (peak)
            peak_resume(counting, slot, paused);
    }
    for (int b = 0; b < counting->banks; b++)
        for (int d = 0; d <= depth; d++)
            slot_lose(&counting->bank[b].frame[d], counting->unread[b]);
}

/* ---- for sinks ------------------------------------------------------------------------------- */

int64_t swi_counter_use_increase(const struct swi_counting *counting, int slot, int64_t last[])
{
    if (counting->unread[slot / SWI_BANK] >> slot % SWI_BANK & 1)
        return SW_COUNTER_NONE;
    int64_t increase = (int64_t)((uint64_t)counting->value[slot] - (uint64_t)last[slot]);
    last[slot] = counting->value[slot];
    return shown_of(counting, slot, increase, false);
}

bool swi_counter_use_of_ended(const struct swi_counting *counting, uint32_t i, int slot,
                              int64_t *total, int64_t *self)
{
    /* Handles of own counters belong to the process, so some may not be counters of this profiler.
     */
    if (!swi_counters_shows(counting->counters, slot))
        return false;
    const struct swi_ended_counts *ended = counting->bank[slot / SWI_BANK].ended;
    int k = slot % SWI_BANK;
    bool known = ended[i].known >> k & 1, peak = counting->peaks[slot / SWI_BANK] >> k & 1;
    *total = known ? ended[i].total[k] : SW_COUNTER_NONE;
    *self = known && !peak ? ended[i].self[k] : SW_COUNTER_NONE;
    return known || ended[i].missed >> k & 1;
}

/* ---- regions that ended ---------------------------------------------------------------------- */

static void uses_read(const struct swi_ended_counts *ended, struct swi_bank_use *uses, int64_t more)
{
    for (int i = 0; i < SWI_BANK; i++) {
        uses->total[i] = ended->total[i];
        uses->self[i] = ended->self[i];
    }
    uses->known = ended->known;
    uses->missed = ended->missed;
    uses->more = more;
}

void swi_counter_use_fold(const struct swi_thread *thread, uint32_t i, int64_t more)
{
    const struct swi_counting *counting = thread->counting;
    const struct swi_ended *region = &thread->ended[i];
    for (int b = 0; b < counting->banks; b++) {
        struct swi_bank_use uses;
        uses_read(&counting->bank[b].ended[i], &uses, more);
        row_add(region->row, counting, b, &uses);
    }
}

void swi_counter_use_shift(const struct swi_counting *counting, uint32_t to, uint32_t from)
{
    for (int b = 0; b < counting->banks; b++)
        counting->bank[b].ended[to] = counting->bank[b].ended[from];
}

static void step_use_add(struct swi_bank_use *sum, const struct swi_bank_use *more, uint8_t peaks)
{
    for (int i = 0; i < SWI_BANK; i++) {
        if (!(peaks >> i & 1))
            sum->total[i] = swi_sum_of_uses(sum->total[i], more->total[i]);
        else if (more->total[i] > sum->total[i])
            sum->total[i] = more->total[i];
    }
    sum->missed |= more->missed;
    sum->known &= (uint8_t)~more->missed; /* one from before counting began used nothing */
}

void swi_counter_use_step(const struct swi_thread *thread, struct swi_row *row, uint32_t from,
                          uint32_t first, uint32_t count, int64_t more)
{
    const struct swi_counting *counting = thread->counting;
    for (int b = 0; b < counting->banks; b++) {
        const struct swi_ended_counts *ended = counting->bank[b].ended;
        struct swi_bank_use step, draw;
        uses_read(&ended[count - 1], &step, more);
        memset(step.self, 0, sizeof step.self);
        for (uint32_t i = from; i < first; i++) {
            if (thread->ended[i].row->action != SW_DRAW)
                continue;
            uses_read(&ended[i], &draw, more);
            step_use_add(&step, &draw, counting->peaks[b]);
        }
        row_add(row, counting, b, &step);
    }
}
