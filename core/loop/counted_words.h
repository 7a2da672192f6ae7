/* SPDX-License-Identifier: MIT */
/* counted_words.h - what a region uses where all counters of its thread are words of memory: read
 * at its begin and its end in one straight line. */
#ifndef CORE_LOOP_COUNTED_WORDS_H
#define CORE_LOOP_COUNTED_WORDS_H

#include "core/counters/counted_memory.h"
#include "core/loop/state.h"
#include "core/rows/count_pair.h"

/* Unrolls a loop over the slots of a bank, two at once, so that nothing counts them. */
#if defined(__clang__)
#define SWI_EACH_TWO _Pragma("clang loop unroll_count(4)")
#else
#define SWI_EACH_TWO _Pragma("GCC unroll 4")
#endif

/* Returns whether all that the calling thread reads are words of its own. */
static SWI_INLINE bool swi_counter_use_words(const struct swi_thread *thread)
{
    const struct swi_counting *counting = SWI_GET(thread->counting);
    return counting && counting->plain && counting->active && thread->owner == &swi_current &&
           counting->owner == swi_current.id;
}

/* The slot of a peak, of which there is one at most, or -1. */
static SWI_INLINE int swi_peak_slot(const struct swi_counting *counting)
{
    unsigned peaks = counting->peaks[0];
    return SWI_UNLIKELY(peaks) ? __builtin_ctz(peaks) : -1;
}

/* A new peak begins at the current value. */
static SWI_INLINE void swi_peak_begin(const struct swi_counting *counting,
                                      struct swi_frame_counts *frame, int slot, int64_t before)
{
    frame->peak_before = before;
    *counting->peak[slot] = frame->start[slot];
}

/* Where stepwatch's own memory may be left out, the peak that a region set must be kept. */
static inline void swi_peak_keep(const struct swi_counting *counting)
{
    int slot = swi_peak_slot(counting);
    if (slot >= 0)
        swi_memory_set_peak(counting->peak[slot], *counting->peak[slot]);
}

/* The region of a frame that is not the innermost one yet begins with the current values. */
static SWI_INLINE void swi_words_begin(const struct swi_thread *thread,
                                       const struct swi_frame *frame)
{
    const struct swi_counting *counting = SWI_GET(thread->counting);
    struct swi_frame_counts *counts = swi_frame_counts_of(thread, counting, frame);
    int active = counting->active;
    counts->applies = UINT8_MAX;
    counts->missed = 0;
    SWI_EACH_TWO
    for (unsigned i = 0; i < SWI_BANK; i += 2) {
        SWI_TWO(counts->start[i]) = SWI_TWO_READ(counting->word[i], counting->word[i + 1]);
        SWI_TWO(counts->inside[i]) = (swi_count_pair){0};
        if ((int)i + 2 >= active)
            break;
    }
    int peak = swi_peak_slot(counting);
    if (peak >= 0)
        swi_peak_begin(counting, counts, peak, *counting->peak[peak]);
}

/* How what a region used is added up when it ends. */
struct swi_end_counts {
    struct swi_counting *counting;
    struct swi_frame_counts *frame;   /* NULL: what was read before */
    struct swi_row_counter_use *sums; /* of the region's row */
    bool again; /* the next region of the same depth begins with the same readings */
};

/* Returns whether the innermost region can end with what is in the words now. */
static SWI_INLINE bool swi_words_can_end(const struct swi_thread *thread,
                                         struct swi_end_counts *counts)
{
    counts->counting = SWI_GET(thread->counting);
    counts->frame = swi_frame_counts_of(thread, counts->counting, thread->frame);
    counts->sums = SWI_GET(thread->frame->row->counts);
    return SWI_LIKELY(!counts->frame->missed && counts->sums);
}

static SWI_INLINE void swi_peak_add(struct swi_row_counter_use *sums, int slot, int64_t use)
{
    if (use > SWI_GET(sums->total[slot]))
        SWI_SET(sums->total[slot], use);
}

/* began: the value of the slot when the region began, which may have changed in its frame. */
static SWI_INLINE void swi_peak_end(const struct swi_end_counts *counts, int slot, int64_t began,
                                    struct swi_ended_counts *list)
{
    struct swi_counting *counting = counts->counting;
    int64_t *peak = counting->peak[slot], before = counts->frame->peak_before;
    int64_t use = *peak > began ? *peak - began : 0;
    counting->ended_peak[slot] = use;
    if (list)
        SWI_SET(list->total[slot], use);
    else
        swi_peak_add(counts->sums, slot, use);
    if (counts->again)
        swi_peak_begin(counting, counts->frame, slot, before > *peak ? before : *peak);
    else if (before > *peak)
        *peak = before;
}

/* peak: the slot of a peak, or -1. */
static SWI_INLINE void swi_words_end_as(const struct swi_thread *thread,
                                        const struct swi_end_counts *counts, bool at_once,
                                        const struct swi_ended *ended, int peak)
{
    const struct swi_counting *counting = counts->counting;
    struct swi_frame_counts *frame = counts->frame;
    struct swi_ended_counts *list = at_once ? NULL : swi_ended_counts_of(thread, counting, ended);
    int active = counting->active;
    int64_t began = peak >= 0 ? frame->start[peak] : 0;
    SWI_EACH_TWO
    for (unsigned i = 0; i < SWI_BANK; i += 2) {
        swi_count_pair value = SWI_TWO_READ(counting->word[i], counting->word[i + 1]);
        swi_count_pair total = value - SWI_TWO(frame->start[i]);
        if (peak >= 0)
            total &= SWI_TWO_OF(counting->summed[i]);
        swi_count_pair self = total - SWI_TWO(frame->inside[i]);
        SWI_TWO(frame[-1].inside[i]) += total;
        if (at_once) {
            SWI_TWO_ADD(counts->sums->total[i], total);
            SWI_TWO_ADD(counts->sums->self[i], self);
        } else {
            SWI_TWO_SET(list->total[i], total);
            SWI_TWO_SET(list->self[i], self);
        }
        if (counts->again) {
            SWI_TWO(frame->start[i]) = value;
            SWI_TWO(frame->inside[i]) = (swi_count_pair){0};
        }
        if ((int)i + 2 >= active)
            break;
    }
    if (peak >= 0)
        swi_peak_end(counts, peak, began, list);
    if (!at_once) {
        SWI_SET(list->known, UINT8_MAX);
        SWI_SET(list->missed, 0);
    }
}

static SWI_INLINE void swi_words_end(const struct swi_thread *thread,
                                     const struct swi_end_counts *counts, bool at_once,
                                     const struct swi_ended *ended)
{
    int peak = swi_peak_slot(counts->counting);
    if (SWI_UNLIKELY(peak >= 0))
        swi_words_end_as(thread, counts, at_once, ended, peak);
    else
        swi_words_end_as(thread, counts, at_once, ended, -1);
}

/* The next region begins in another way, although the last one ended with `again`. */
static SWI_INLINE void swi_words_begin_otherwise(const struct swi_end_counts *counts)
{
    int slot = swi_peak_slot(counts->counting);
    if (slot >= 0 && counts->frame->peak_before > *counts->counting->peak[slot])
        *counts->counting->peak[slot] = counts->frame->peak_before;
}

/* The innermost region, which has just left the stack, ends. at_once: its row gets the use; else
 * what lies beside `ended` does. */
static SWI_INLINE void swi_counting_end(const struct swi_thread *thread,
                                        const struct swi_end_counts *counts, bool at_once,
                                        const struct swi_ended *ended)
{
    if (counts->frame)
        swi_words_end(thread, counts, at_once, ended);
    else
        swi_counter_use_end(counts->counting, swi_depth(thread) + 1,
                            at_once ? SWI_GET(ended->row) : NULL,
                            (uint32_t)(ended - SWI_GET(thread->ended)));
}

#endif
