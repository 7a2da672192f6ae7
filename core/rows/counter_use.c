/* SPDX-License-Identifier: MIT */
#include "core/rows/counter_use.h"
#include "core/counters/counted_memory.h"
#include "core/rows/thread.h"

#include <string.h>

/* ---- begin and end --------------------------------------------------------------------------- */

/* A peak begins anew at the current value. */
void swi_counter_use_begin(struct swi_counting *counting, int depth, int action)
{
    bool wide = swi_counters_is_wide(action);
    for (int i = 0; i < counting->active; i++) {
        struct swi_slot_count *slot = &counting->slot[i];
        struct swi_frame_count *frame = &slot->frame[depth];
        *frame = (struct swi_frame_count){.start = slot->value,
                                          .peak_before = slot->peak,
                                          .applies = wide || !slot->steps_only,
                                          .missed = slot->unread};
        if (slot->is_peak && frame->applies)
            slot->peak = frame->start;
    }
}

/* Sets the peak for the enclosing region: the larger of both. */
static void peak_restore(struct swi_slot_count *slot, const struct swi_frame_count *frame)
{
    if (frame->peak_before > slot->peak)
        slot->peak = frame->peak_before;
}

/* Returns the use of a peak, or 0 if it is not known. */
static int64_t peak_end(const struct swi_counting *counting, struct swi_slot_count *slot,
                        const struct swi_frame_count *frame)
{
    if (counting->counters->replayed)
        return slot->value;
    int64_t use = slot->peak - frame->start;
    peak_restore(slot, frame);
    return use > 0 ? use : 0;
}

/* Values, and what they are compared with, are modulo 2^64. */
static void shift(int64_t *value, int64_t by)
{
    *value = (int64_t)((uint64_t)*value + (uint64_t)by);
}

static int64_t difference(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

static int64_t use_of(const struct swi_counting *counting, const struct swi_frame_count *frame,
                      int slot)
{
    int64_t less = slot < counting->chosen ? counting->counters->slot[slot].less : 0;
    int64_t use = difference(less, difference(frame->start, counting->slot[slot].value));
    return less && use < 0 ? 0 : use;
}

/* A replay may say what the region used. False where it did not. */
static bool use_given(struct swi_counting *counting, int slot, struct swi_slot_use *use)
{
    if (!counting->given || !counting->given[slot].any)
        return false;
    use->total = counting->given[slot].total;
    use->self = counting->given[slot].self;
    counting->given[slot].any = false;
    if (use->total == SW_COUNTER_NONE) {
        use->known = false;
        use->missed = true;
    }
    return true;
}

/* Values and what lies inside are modulo 2^64, so each difference below 2^63 is exact. Returns what
 * is known of a use: INT64_MAX stands for all that is larger. */
static int64_t shown_of(const struct swi_counting *counting, int slot, int64_t use, bool full)
{
    bool large = full || (use < 0 && !swi_counters_may_fall(counting->counters, slot));
    return large ? INT64_MAX : use;
}

static struct swi_slot_use use_make(struct swi_counting *counting, int i, int depth)
{
    struct swi_slot_count *slot = &counting->slot[i];
    struct swi_frame_count *frame = &slot->frame[depth], *around = frame - 1;
    bool lost = (frame->missed && !frame->large) || slot->unread;
    struct swi_slot_use use = {.known = frame->applies && !lost, .missed = frame->applies && lost};
    if (use_given(counting, i, &use)) {
        shift(&around->inside, use.known && !slot->is_peak ? use.total : frame->inside);
        slot->ended_peak = use.total;
    } else if (slot->is_peak && use.known) {
        use.total = slot->ended_peak = peak_end(counting, slot, frame);
    } else if (use.known) {
        int64_t total = use_of(counting, frame, i);
        use.total = shown_of(counting, i, total, frame->full);
        use.self = shown_of(counting, i, difference(frame->inside, total), false);
        shift(&around->inside, total);
    } else if (!slot->is_peak) {
        shift(&around->inside, frame->inside);
    }
    return use;
}

void swi_counter_use_end(struct swi_counting *counting, int depth, struct swi_row *row,
                         uint32_t index)
{
    for (int i = 0; i < counting->active; i++) {
        struct swi_slot_count *slot = &counting->slot[i];
        struct swi_slot_use use = use_make(counting, i, depth);
        if (row)
            swi_row_counter_use_add(row, i, &use, slot->is_peak, 0);
        else
            slot->ended[index] = use;
    }
}

void swi_counter_use_drop(struct swi_counting *counting, int depth)
{
    for (int i = 0; i < counting->active; i++) {
        struct swi_slot_count *slot = &counting->slot[i];
        struct swi_frame_count *frame = &slot->frame[depth];
        struct swi_slot_use use = {.known = true};
        bool given = use_given(counting, i, &use) && use.known;
        if (!slot->is_peak)
            shift(&frame[-1].inside, given ? use.total : frame->inside);
        else if (frame->applies && !frame->missed)
            peak_restore(slot, frame);
    }
}

void swi_counter_use_insert(struct swi_counting *counting, int depth, int top, bool from_bottom)
{
    for (int i = 0; i < counting->active; i++) {
        const struct swi_slot_count *slot = &counting->slot[i];
        struct swi_frame_count *bottom = slot->frame, *at = bottom + depth;
        memmove(at + 1, at, (size_t)(top - depth) * sizeof *at);
        *at = from_bottom ? *bottom
                          : (struct swi_frame_count){.start = slot->value, .missed = slot->unread};
        at->applies = true;
        bottom->inside = 0;
    }
}

static void frame_lose(struct swi_frame_count *frame)
{
    frame->missed = true;
    frame->large = false;
}

void swi_counter_use_lose_slot(struct swi_counting *counting, int depth, int slot)
{
    for (int d = 0; d <= depth; d++)
        frame_lose(&counting->slot[slot].frame[d]);
}

void swi_counter_use_lose(struct swi_counting *counting, int depth, bool own)
{
    for (int i = 0; i < (own ? counting->active : counting->chosen); i++)
        swi_counter_use_lose_slot(counting, depth, i);
}

void swi_counter_use_first(struct swi_counting *counting)
{
    for (int i = 0; i < counting->active; i++) {
        const struct swi_slot_count *slot = &counting->slot[i];
        *slot->frame =
            (struct swi_frame_count){.start = slot->value, .applies = true, .missed = slot->unread};
    }
}

/* ---- much --------------------------------------------------------------------------------------
 */

/* After each 2^62 that are counted: no use of 2^63 or more goes unnoticed in between. */
static void frames_look(struct swi_slot_count *slot, int depth)
{
    for (int d = 0; d <= depth; d++) {
        struct swi_frame_count *frame = &slot->frame[d];
        uint64_t use = (uint64_t)difference(frame->start, slot->value);
        if (use < SWI_MUCH || (frame->missed && !frame->large))
            continue;
        frame->large = frame->missed = true;
        frame->full = frame->full || use > INT64_MAX;
    }
}

/* Keeps the distance below 2^63. */
static void last_look(int64_t value, int64_t *last)
{
    if (difference(*last, value) < 0)
        *last = difference(INT64_MAX, value);
}

void swi_counter_use_look(struct swi_thread *thread, int slot)
{
    struct swi_slot_count *at = &thread->counting->slot[slot];
    frames_look(at, swi_depth(thread));
    last_look(at->value, &at->traced);
    last_look(at->value, &at->marked);
    for (struct swi_row *row = thread->rows; row; row = row->next)
        swi_row_counter_use_look(row, slot);
}

/* ---- pauses ---------------------------------------------------------------------------------- */

void swi_counter_use_pause(struct swi_counting *counting)
{
    for (int i = 0; i < counting->active; i++) {
        struct swi_slot_count *slot = &counting->slot[i];
        slot->value_at_pause = slot->value;
        slot->peak_at_pause = slot->peak;
    }
}

/* Sets a peak to where it was before the pause, relative to the region's begin. */
void swi_counter_use_resume(struct swi_counting *counting, int depth)
{
    for (int i = 0; i < counting->active; i++) {
        struct swi_slot_count *slot = &counting->slot[i];
        int64_t paused = difference(slot->value_at_pause, slot->value);
        shift(&slot->traced, paused);
        shift(&slot->marked, paused);
        for (int d = 0; d <= depth; d++) {
            shift(&slot->frame[d].start, paused);
            if (slot->is_peak)
                slot->frame[d].peak_before += paused;
        }
        if (slot->is_peak)
            slot->peak = slot->peak_at_pause + paused;
        if (slot->unread)
            swi_counter_use_lose_slot(counting, depth, i);
    }
}

/* ---- for sinks ------------------------------------------------------------------------------- */

int64_t swi_counter_use_increase(const struct swi_counting *counting, int slot, int64_t *last)
{
    const struct swi_slot_count *at = &counting->slot[slot];
    if (at->unread)
        return SW_COUNTER_NONE;
    int64_t increase = difference(*last, at->value);
    *last = at->value;
    return shown_of(counting, slot, increase, false);
}

bool swi_counter_use_of_ended(const struct swi_counting *counting, uint32_t i, int slot,
                              int64_t *total, int64_t *self)
{
    /* Handles of own counters belong to the process, so some may not be counters of this profiler.
     */
    if (!swi_counters_shows(counting->counters, slot))
        return false;
    const struct swi_slot_use *use = &counting->slot[slot].ended[i];
    *total = use->known ? use->total : SW_COUNTER_NONE;
    *self = use->known && !counting->slot[slot].is_peak ? use->self : SW_COUNTER_NONE;
    return use->known || use->missed;
}

/* ---- regions that ended ---------------------------------------------------------------------- */

void swi_counter_use_fold(const struct swi_thread *thread, uint32_t i, int64_t more)
{
    const struct swi_counting *counting = thread->counting;
    for (int s = 0; s < counting->active; s++) {
        const struct swi_slot_count *slot = &counting->slot[s];
        swi_row_counter_use_add(thread->ended[i].row, s, &slot->ended[i], slot->is_peak, more);
    }
}

void swi_counter_use_shift(const struct swi_counting *counting, uint32_t to, uint32_t from)
{
    for (int i = 0; i < counting->active; i++)
        counting->slot[i].ended[to] = counting->slot[i].ended[from];
}

static void step_use_add(struct swi_slot_use *sum, const struct swi_slot_use *more, bool peak)
{
    if (!peak)
        sum->total = swi_sum_of_uses(sum->total, more->total);
    else if (more->total > sum->total)
        sum->total = more->total;
    sum->missed = sum->missed || more->missed;
    sum->known = sum->known && !more->missed; /* one from before counting began used nothing */
}

void swi_counter_use_step(const struct swi_thread *thread, struct swi_row *row, uint32_t from,
                          uint32_t first, uint32_t count, int64_t more)
{
    const struct swi_counting *counting = thread->counting;
    for (int s = 0; s < counting->active; s++) {
        const struct swi_slot_count *slot = &counting->slot[s];
        struct swi_slot_use step = slot->ended[count - 1];
        step.self = 0;
        for (uint32_t i = from; i < first; i++)
            if (thread->ended[i].row->action == SW_DRAW)
                step_use_add(&step, &slot->ended[i], slot->is_peak);
        swi_row_counter_use_add(row, s, &step, slot->is_peak, more);
    }
}
