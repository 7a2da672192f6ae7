/* SPDX-License-Identifier: MIT */
#include "core/loop/step_slow.h"
#include "core/loop/counted_words.h"
#include "core/loop/tracing.h"
#include "core/rows/shaped_actions.h"

static bool is_draw(const struct swi_thread *thread, uint32_t i)
{
    return SWI_GET(SWI_GET(thread->ended)[i].row)->action == SW_DRAW;
}

/* Returns whether region i is in the sums of its row. */
static bool is_counted(const struct swi_thread *thread, uint32_t i)
{
    return SWI_GET(SWI_GET(thread->ended)[i].self) == SWI_COUNTED;
}

void swi_step_counts(const struct swi_thread *thread, struct swi_step_parts parts, uint32_t from)
{
    for (uint32_t i = from; i < parts.count; i++)
        if (!is_counted(thread, i) && !parts.leave_out)
            swi_counter_use_fold(thread, i);
}

/* ---- the end of a step ----------------------------------------------------------------------- */

/* The first window begins so that it is full when its first values are logged. */
static struct swi_rolling_counter_use *window_of_step(struct sw_profiler *sw)
{
    if (sw->loop.window.pushed == sw->measured.chosen.drop + 1)
        swi_rolling_counter_use_reset(&sw->loop.window_counts);
    sw->loop.window_counts.steps++;
    return &sw->loop.window_counts;
}

/* Returns whether region i is a draw before the batch, or the batch: these are the step. */
static bool is_part(const struct swi_thread *thread, struct swi_step_parts parts, uint32_t i)
{
    return i + 1 == parts.count || (i < parts.first && is_draw(thread, i));
}

static void step_add(struct sw_profiler *sw, struct swi_thread *thread, struct swi_step_parts parts,
                     struct swi_row *row)
{
    const struct swi_counting *counting = SWI_GET(thread->counting);
    swi_step_counts(thread, parts, 0);
    if (row && !parts.leave_out)
        swi_counter_use_step(thread, row, parts.first, parts.count);
    if (thread->phase != SW_PHASE_TRAIN)
        return;
    struct swi_rolling_counter_use *window = window_of_step(sw);
    for (uint32_t i = 0; i < parts.count; i++) {
        const struct swi_row *of = SWI_GET(SWI_GET(thread->ended)[i].row);
        bool outside = i < parts.first && of->action != SW_DRAW;
        if (!outside && !of->is_inner)
            swi_rolling_counter_use_add(window, counting, i, swi_action_base(of->action));
        if (is_part(thread, parts, i))
            swi_rolling_counter_use_add(window, counting, i, SW_STEP);
    }
}

/* ---- the same where all counters are words --------------------------------------------------- */

/* The regions of a step, whose use is known and whose rows have room for it. */
struct words {
    struct swi_thread *thread;
    const struct swi_counting *counting;
    int active;
    int peak;                               /* its slot, or -1 */
    struct swi_rolling_counter_use *window; /* NULL: not a training step */
    struct swi_row_counter_use *step;       /* of the action step; NULL: left out */
    bool leave_out;
};

static bool have_words(const struct swi_thread *thread, struct swi_step_parts parts,
                       const struct swi_row *row)
{
    const struct swi_counting *counting = SWI_GET(thread->counting);
    bool fine = counting->plain && row && SWI_GET(row->counts);
    for (uint32_t i = 0; fine && i < parts.count; i++) {
        const struct swi_ended *region = &SWI_GET(thread->ended)[i];
        if (is_counted(thread, i))
            continue;
        if (i < parts.first && !is_draw(thread, i))
            return false;
        fine = SWI_GET(swi_ended_counts_of(thread, counting, region)->known) == UINT8_MAX &&
               SWI_GET(SWI_GET(region->row)->counts);
    }
    return fine;
}

/* Of a peak, the largest counts: it is not added. */
static SWI_INLINE void words_to_row(const struct words *words, const struct swi_ended_counts *use,
                                    struct swi_row_counter_use *sums, bool self)
{
    SWI_EACH_TWO
    for (unsigned i = 0; i < SWI_BANK; i += 2) {
        swi_count_pair total = SWI_TWO_GET(use->total[i]);
        if (SWI_UNLIKELY(words->peak >= 0))
            total &= SWI_TWO_OF(words->counting->summed[i]);
        SWI_TWO_ADD(sums->total[i], total);
        if (self)
            SWI_TWO_ADD(sums->self[i], SWI_TWO_GET(use->self[i]));
        if ((int)i + 2 >= words->active)
            break;
    }
    if (SWI_UNLIKELY(words->peak >= 0))
        swi_peak_add(sums, words->peak, SWI_GET(use->total[words->peak]));
}

static SWI_INLINE void words_to_window(const struct words *words,
                                       const struct swi_ended_counts *use, int action)
{
    struct swi_rolling_action *item = swi_rolling_action(words->window, action);
    if (SWI_UNLIKELY(!item))
        return;
    item->has[0] |= (UINT64_C(1) << words->active) - 1;
    SWI_EACH_TWO
    for (unsigned i = 0; i < SWI_BANK; i += 2) {
        swi_count_pair total = SWI_TWO_GET(use->total[i]);
        if (SWI_UNLIKELY(words->peak >= 0))
            total &= SWI_TWO_OF(words->counting->summed[i]);
        SWI_TWO(item->sum[i]) += total;
        if ((int)i + 2 >= words->active)
            break;
    }
    int peak = words->peak;
    if (SWI_UNLIKELY(peak >= 0) && SWI_GET(use->total[peak]) > item->sum[peak])
        item->sum[peak] = SWI_GET(use->total[peak]);
}

static SWI_INLINE void words_add(const struct words *words, const struct swi_ended *region,
                                 bool part)
{
    const struct swi_row *row = SWI_GET(region->row);
    const struct swi_ended_counts *use =
        swi_ended_counts_of(words->thread, words->counting, region);
    if (!words->leave_out)
        words_to_row(words, use, SWI_GET(row->counts), true);
    if (words->window && !row->is_inner)
        words_to_window(words, use, swi_action_base(row->action));
    if (SWI_LIKELY(!part))
        return;
    if (words->step)
        words_to_row(words, use, words->step, false);
    if (words->window)
        words_to_window(words, use, SW_STEP);
}

/* What ended between two steps is in its row. */
static void words_step(struct sw_profiler *sw, struct swi_thread *thread,
                       struct swi_step_parts parts, const struct swi_row *row)
{
    bool train = thread->phase == SW_PHASE_TRAIN;
    const struct words words = {.thread = thread,
                                .counting = SWI_GET(thread->counting),
                                .active = SWI_GET(thread->counting)->active,
                                .peak = swi_peak_slot(SWI_GET(thread->counting)),
                                .window = train ? window_of_step(sw) : NULL,
                                .step = parts.leave_out ? NULL : SWI_GET(row->counts),
                                .leave_out = parts.leave_out};
    for (uint32_t i = 0; i < parts.count; i++) {
        const struct swi_ended *region = &SWI_GET(thread->ended)[i];
        if (!is_counted(thread, i))
            words_add(&words, region, is_part(thread, parts, i));
    }
}

void swi_step_slow(struct sw_profiler *sw, struct swi_thread *thread, struct swi_step_parts parts,
                   struct swi_row *row, int64_t now)
{
    if (thread->tracing)
        swi_trace(sw, thread, SW_REGION_END, SW_BATCH, now, parts.samples);
    if (!SWI_GET(thread->counting))
        return;
    if (SWI_LIKELY(have_words(thread, parts, row)))
        words_step(sw, thread, parts, row);
    else
        step_add(sw, thread, parts, row);
}
