/* SPDX-License-Identifier: MIT */
#include "core/loop/stack.h"
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

static void frame_pop(struct swi_thread *thread)
{
    int action = thread->frame->action;
    if (action < SW_BUILTIN_ACTIONS)
        thread->open_builtin &= (uint16_t) ~(1U << action);
    thread->frame--;
}

/* Before there is a loop, this may be its thread, and its first step. */
static SWI_INLINE bool waits(const struct sw_profiler *sw, const struct swi_thread *thread,
                             int action)
{
    if (thread->loop)
        return thread->batch_first >= 0 || thread->drawing || action == SW_DRAW;
    return (thread->drawing || action == SW_DRAW) && !atomic_load(&sw->measured.loop);
}

/* What the end of a step and of a fit has is traced where these are made. */
static void end_trace(struct sw_profiler *sw, struct swi_thread *thread, int action,
                      int64_t samples, int64_t now)
{
    if (thread->tracing && (!thread->loop || (action != SW_BATCH && action != SW_FIT)))
        swi_trace(sw, thread, SW_REGION_END, action, now,
                  &(struct swi_traced_batch){.samples = samples, .step = -1});
}

/* A draw has left the stack. */
static void draw_left(struct swi_thread *thread)
{
    thread->drawing--;
    if (thread->loop && thread->batch_first < 0)
        swi_phase_back(thread);
}

/* Whether what ends now waits, and there is room for it. */
static SWI_INLINE bool ends_later(const struct sw_profiler *sw, struct swi_thread *thread,
                                  int action)
{
    return waits(sw, thread, action) &&
           (thread->ended_count < thread->ended_capacity || swi_thread_grow_ended(thread));
}

static SWI_INLINE void ended_take(struct swi_thread *thread, struct swi_row *row, int64_t ticks,
                                  int64_t self, bool later)
{
    if (later)
        thread->ended[thread->ended_count++] = (struct swi_ended){row, ticks, self};
    else
        swi_row_add(row, ticks, self);
}

static SWI_INLINE void ended_limit(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (thread->ended_count < SWI_ENDED_MAX)
        return;
    if (thread->batch_first >= 0)
        swi_step_shorten(sw, thread);
    else
        swi_waiting_full(sw, thread);
}

/* Where counters of two CPUs differ by some ticks, a duration may be negative: row.c takes it for
 * 0. */
void swi_region_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples, int64_t now)
{
    struct swi_frame *frame = thread->frame;
    struct swi_row *row = frame->row;
    int action = frame->action, depth = swi_depth(thread);
    int64_t ticks = swi_ticks_between(frame->start, now);
    int64_t self = swi_ticks_between(frame->inside, ticks);
    bool later = ends_later(sw, thread, action);
    if (thread->counting)
        swi_counter_use_end(thread->counting, depth, later ? NULL : row, thread->ended_count);
    frame[-1].inside = swi_ticks_sum(frame[-1].inside, ticks);
    frame_pop(thread);
    ended_take(thread, row, ticks, self, later);
    end_trace(sw, thread, action, samples, now);
    if (action == SW_DRAW)
        draw_left(thread);
    ended_limit(sw, thread);
}

void swi_leaf_end(struct sw_profiler *sw, struct swi_thread *thread, struct swi_row *row,
                  int64_t ticks)
{
    thread->frame->inside = swi_ticks_sum(thread->frame->inside, ticks);
    ended_take(thread, row, ticks, ticks, ends_later(sw, thread, row->action));
    ended_limit(sw, thread);
}

void swi_frame_drop(struct swi_thread *thread)
{
    struct swi_frame *frame = thread->frame;
    if (thread->counting)
        swi_counter_use_drop(thread->counting, swi_depth(thread));
    frame[-1].inside = swi_ticks_sum(frame[-1].inside, frame->inside);
    frame_pop(thread);
    if (frame->action != SW_DRAW)
        return;
    if (thread->batch_first < 0) /* else the batch decides */
        swi_waiting_count(thread, frame->first);
    draw_left(thread);
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
            swi_waiting_discard_batch(thread, frame->first);
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
