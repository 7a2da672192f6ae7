/* SPDX-License-Identifier: MIT */
#include "core/loop/open_regions.h"
#include "core/loop/recording_windows.h"
#include "core/loop/step.h"

/* ---- phases ---------------------------------------------------------------------------------- */

/* The phase of the innermost open train or valid; fit where there is none. */
static enum sw_phase phase_open(const struct swi_thread *thread)
{
    for (int i = 0; i < swi_depth(thread); i++) {
        if (thread->frame[-i].action == SW_TRAIN)
            return SW_PHASE_TRAIN;
        if (thread->frame[-i].action == SW_VALID)
            return SW_PHASE_VALID;
    }
    return SW_PHASE_FIT;
}

void swi_phase_restore(struct swi_thread *thread, int64_t now)
{
    enum sw_phase phase = phase_open(thread);
    swi_elapsed_run(&thread->elapsed, phase, now);
    if (phase != thread->phase)
        swi_thread_phase(thread, phase);
}

/* ---- regions --------------------------------------------------------------------------------- */

int swi_frame_of(const struct swi_thread *thread, int action)
{
    int depth = swi_depth(thread);
    while (depth > 0 && thread->stack[depth].action != action)
        depth--;
    return depth;
}

/* ---- regions that wait for the end of their step --------------------------------------------- */

static void count_now(struct swi_thread *thread, uint32_t i)
{
    const struct swi_ended *ended = &thread->ended[i];
    if (thread->counting)
        swi_counter_use_fold(thread, i, 0);
    swi_row_add(ended->row, ended->ticks, ended->self);
}

static void move(struct swi_thread *thread, uint32_t to, uint32_t from)
{
    if (to == from)
        return;
    thread->ended[to] = thread->ended[from];
    if (thread->counting)
        swi_counter_use_shift(thread->counting, to, from);
}

/* The place behind the last one is free for exchanges: few regions change places. */
static void exchange(struct swi_thread *thread, uint32_t a, uint32_t b)
{
    uint32_t free = thread->ended_count;
    move(thread, free, a);
    move(thread, a, b);
    move(thread, b, free);
}

static bool is_of(const struct swi_thread *thread, uint32_t i, enum sw_phase phase)
{
    return thread->ended[i].row->phase == phase;
}

/* The frame of the open draw, which says where those that ended in it begin; if none is open, the
 * bottom of the stack. */
static struct swi_frame *open_draw(const struct swi_thread *thread)
{
    struct swi_frame *frame = thread->drawing ? thread->frame : thread->stack;
    while (frame > thread->stack && frame->action != SW_DRAW)
        frame--;
    return frame;
}

void swi_waiting_sort(struct swi_thread *thread)
{
    struct swi_frame *draw = open_draw(thread);
    uint32_t first = draw->first;
    thread->step_from = draw->first = 0;
    if (thread->ended_count == thread->ended_capacity && !swi_thread_grow_ended(thread))
        return;
    for (uint32_t i = 0; i < thread->ended_count; i++) {
        if (is_of(thread, i, thread->phase))
            continue;
        for (uint32_t k = i; k > thread->step_from; k--)
            exchange(thread, k, k - 1);
        thread->step_from++;
        draw->first += i < first;
    }
}

void swi_waiting_clear(struct swi_thread *thread)
{
    thread->ended_count = thread->step_from;
    thread->step_from = 0;
    thread->batch_first = -1;
}

/* ---- leaving the list ------------------------------------------------------------------------ */

enum fate { STAYS, COUNTS, LOST, GONE };

/* Asks for the fate of each, from `from` on. */
static void sift(struct swi_thread *thread, uint32_t from,
                 enum fate (*fate_of)(const struct swi_thread *, uint32_t i, int64_t arg),
                 int64_t arg)
{
    struct swi_frame *draw = open_draw(thread);
    uint32_t left = from, first = draw->first;
    for (uint32_t i = from; i < thread->ended_count; i++) {
        enum fate fate = fate_of(thread, i, arg);
        if (fate == COUNTS)
            count_now(thread, i);
        else if (fate == LOST)
            swi_thread_discard(thread, i);
        else if (fate == STAYS)
            move(thread, left++, i);
        draw->first -= fate != STAYS && i < first;
    }
    thread->ended_count = left;
}

static enum fate draws_stay(const struct swi_thread *thread, uint32_t i, int64_t left_out)
{
    return thread->ended[i].row->action == SW_DRAW ? STAYS : left_out ? GONE : COUNTS;
}

static enum fate of_lost_batch(const struct swi_thread *thread, uint32_t i, int64_t first)
{
    return i >= first || thread->ended[i].row->action == SW_DRAW ? LOST : COUNTS;
}

static enum fate of_container(const struct swi_thread *thread, uint32_t i, int64_t action)
{
    if ((action == SW_TRAIN && !is_of(thread, i, SW_PHASE_TRAIN)) ||
        (action == SW_VALID && !is_of(thread, i, SW_PHASE_VALID)))
        return STAYS;
    return thread->ended[i].row->action == SW_DRAW ? LOST : COUNTS;
}

static enum fate all_count(const struct swi_thread *thread, uint32_t i, int64_t arg)
{
    (void)thread, (void)i, (void)arg;
    return COUNTS;
}

/* A draw is dropped, and no batch is open: what ended in it, from `first` on, counts now. */
static void waiting_count(struct swi_thread *thread, uint32_t first)
{
    sift(thread, first, draws_stay, 0);
}

/* A batch that began at `first` is discarded with its draws and what ended in it. What ended in the
 * draws counts. */
static void batch_discard(struct swi_thread *thread, uint32_t first)
{
    sift(thread, thread->step_from, of_lost_batch, first);
    swi_waiting_clear(thread);
}

void swi_waiting_discard(struct swi_thread *thread, int action)
{
    sift(thread, 0, of_container, action);
}

void swi_waiting_add(struct swi_thread *thread)
{
    sift(thread, 0, all_count, 0);
}

/* Before a batch that drop_first_batch leaves out. */
static void leave_out(struct sw_profiler *sw, const struct swi_thread *thread)
{
    for (uint32_t i = 0; i < thread->ended_count; i++)
        if (thread->ended[i].row->action != SW_DRAW)
            swi_dropped_add(sw, thread->ended[i].self);
}

/* Draws stay, if there are not too many of them: their batch may still come. */
void swi_waiting_full(struct sw_profiler *sw, struct swi_thread *thread)
{
    bool left_out = thread->loop && swi_is_left_out(sw, thread);
    if (left_out)
        leave_out(sw, thread);
    sift(thread, 0, draws_stay, left_out);
    if (thread->ended_count >= SWI_ENDED_MAX)
        swi_waiting_add(thread);
}

void swi_reports_prepare(struct sw_profiler *sw)
{
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread; thread = thread->list)
        if (!thread->loop)
            swi_waiting_add(thread);
}

/* ---- regions that do not count --------------------------------------------------------------- */

void swi_frame_drop(struct swi_thread *thread)
{
    struct swi_frame *frame = thread->frame;
    if (thread->counting)
        swi_counter_use_drop(thread->counting, swi_depth(thread));
    frame[-1].inside = swi_ticks_sum(frame[-1].inside, frame->inside);
    swi_frame_pop(thread);
    if (frame->action != SW_DRAW)
        return;
    if (thread->batch_first < 0) /* else the batch decides */
        waiting_count(thread, frame->first);
    swi_draw_left(thread);
}

/* Regions above `depth` do not count, but what ended inside them does. */
static void regions_leave(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now,
                          enum sw_region_event event)
{
    while (swi_depth(thread) > depth) {
        struct swi_frame *frame = thread->frame;
        int action = frame->action;
        if (thread->tracing)
            swi_trace(sw, thread, event, action, now, NULL);
        if (thread->loop && action == SW_BATCH) {
            swi_values_send(sw, thread, now);
            batch_discard(thread, frame->first);
        }
        swi_frame_drop(thread);
        thread->discarded++;
        if (thread->loop && swi_is_container(action)) {
            swi_waiting_discard(thread, action);
            swi_steps_restart(sw, action);
            swi_recorder_mark(&sw->records, SW_REGION_CANCEL, action, now);
        }
        if (thread->loop && swi_is_special(action))
            swi_phase_restore(thread, now);
    }
}

void swi_regions_discard(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now)
{
    regions_leave(sw, thread, depth, now, SW_REGION_DISCARD);
}

void swi_regions_cancel(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now)
{
    regions_leave(sw, thread, depth, now, SW_REGION_CANCEL);
}

/* ---- gaps of the clock ----------------------------------------------------------------------- */

static void loop_shift(struct sw_profiler *sw, const struct swi_gap *gap, int64_t now)
{
    sw->measured.progress.fit_start = swi_gap_taken_out(gap, sw->measured.progress.fit_start, now);
    sw->loop.values.sent_tick = swi_gap_taken_out(gap, sw->loop.values.sent_tick, now);
}

static void gap_take_out(struct sw_profiler *sw, struct swi_thread *thread,
                         const struct swi_gap *gap, int64_t now)
{
    for (struct swi_frame *frame = thread->stack + 1; frame <= thread->frame; frame++)
        frame->start = swi_gap_taken_out(gap, frame->start, now);
    if (thread->begun)
        thread->first_tick = swi_gap_taken_out(gap, thread->first_tick, now);
    struct swi_elapsed *elapsed = &thread->elapsed;
    elapsed->since = swi_gap_taken_out(gap, elapsed->since, now);
    elapsed->first = swi_gap_taken_out(gap, elapsed->first, now);
    elapsed->last = swi_gap_taken_out(gap, elapsed->last, now);
    if (thread->loop)
        loop_shift(sw, gap, now);
}

/* A counter that ran ahead shows where. Of one that stopped it is known only when the gap was
 * found: what has ended by then was not slept through. latest: a tick of the clock behind the gap,
 * and no earlier than any that was noted behind it. */
static bool is_behind(const struct swi_gap *gap, int64_t tick, int64_t latest)
{
    return gap->shift < 0 && !gap->set_back ? tick >= gap->found
                                            : !swi_gap_is_before(gap, tick, latest);
}

void swi_gaps_take_out(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    struct swi_clock *clock = &sw->measured.clock;
    unsigned gaps = atomic_load(&clock->gaps);
    for (; thread->gaps != gaps; thread->gaps++) {
        struct swi_gap gap;
        if (!swi_clock_gap(clock, thread->gaps, &gap))
            continue;
        if (!is_behind(&gap, now, swi_clock_latest(clock)))
            return;
        gap_take_out(sw, thread, &gap, now);
    }
}
