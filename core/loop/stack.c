/* SPDX-License-Identifier: MIT */
#include "core/loop/stack.h"
#include "core/loop/counted_words.h"
#include "core/loop/counting.h"
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

void swi_phase_run(struct swi_thread *thread, enum sw_phase phase, int64_t now)
{
    swi_thread_change(thread);
    swi_elapsed_run(&thread->elapsed, phase, now);
    swi_thread_changed(thread);
}

void swi_phase_restore(struct swi_thread *thread, int64_t now)
{
    enum sw_phase phase = phase_open(thread);
    if (phase != (enum sw_phase)SWI_GET(thread->elapsed.running))
        swi_phase_run(thread, phase, now);
    if (phase != thread->phase)
        swi_thread_phase(thread, phase);
}

/* ---- regions --------------------------------------------------------------------------------- */

SWI_HOT int swi_frame_of(const struct swi_thread *thread, int action)
{
    for (int i = 0; i < swi_depth(thread); i++)
        if (thread->frame[-i].action == action)
            return swi_depth(thread) - i;
    return 0;
}

/* Reads the counters after the clock, and before doing anything that they would count. */
SWI_APART void swi_region_end_apart(struct sw_profiler *sw, struct swi_thread *thread,
                                    int64_t samples, int64_t now)
{
    struct swi_end_trace traced = {sw, samples};
    const struct swi_end_trace *told = thread->tracing ? &traced : NULL;
    int64_t ticks = now - thread->frame->start;
    struct swi_end_counts counts = {.counting = SWI_GET(thread->counting)};
    if (counts.counting)
        swi_counting_read(thread, thread->frame->action, SWI_READ_AT_END);
    if (!counts.counting) {
        swi_region_move(thread, ticks, false, told, NULL);
    } else if (swi_counter_use_words(thread) && swi_words_can_end(thread, &counts)) {
        swi_region_move(thread, ticks, false, told, &counts);
        swi_peak_keep(counts.counting);
    } else {
        counts.frame = NULL;
        swi_region_move(thread, ticks, false, told, &counts);
    }
    swi_probe_end(sw, thread, now);
}

void swi_region_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples, int64_t now)
{
    swi_region_end_here(sw, thread, samples, now);
}

void swi_frame_drop(struct swi_thread *thread)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    if (counting)
        swi_counter_use_drop(counting, swi_depth(thread));
    const struct swi_frame *frame = thread->frame;
    thread->frame[-1].inside += frame->inside;
    swi_frame_pop(thread);
    if (frame->action != SW_DRAW)
        return;
    bool in_batch = SWI_GET(thread->batch_first) >= 0; /* then the batch decides */
    if (!in_batch && frame->fast == &thread->unused)   /* what begins the slow way notes `first` */
        swi_drawn_count(thread, frame->first);
    swi_draw_left(thread);
}

/* Regions above `depth` do not count, but what ended inside them does. */
static void regions_leave(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now,
                          enum sw_region_event event)
{
    swi_counting_catch_up(thread);
    while (swi_depth(thread) > depth) {
        struct swi_frame *frame = thread->frame;
        int action = frame->action;
        if (thread->tracing && action >= 0)
            swi_trace(sw, thread, event, action, now, -1);
        if (thread->loop && action == SW_BATCH)
            swi_ended_discard(thread, frame->first);
        swi_frame_drop(thread);
        swi_probe_end(sw, thread, now);
        SWI_SET(thread->discarded, SWI_GET(thread->discarded) + 1);
        if (thread->loop && swi_is_container(action)) {
            swi_steps_restart(sw, action);
            swi_emit_mark(&sw->records, SW_REGION_CANCEL, action, now);
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
