/* SPDX-License-Identifier: MIT */
#include "core/loop/counting.h"
#include "core/loop/fit.h"
#include "core/loop/fold.h"
#include "core/loop/misuse.h"
#include "core/loop/recording_windows.h"
#include "core/loop/stack.h"
#include "core/loop/step.h"

/* ---- begin ----------------------------------------------------------------------------------- */

/* The row under which an action of this thread is reported. */
static enum sw_phase phase_of(const struct swi_thread *thread, int action)
{
    if (!thread->loop)
        return SW_PHASE_THREADS;
    if (swi_is_container(action))
        return SW_PHASE_FIT;
    if (thread->phase == SW_PHASE_FIT && (action == SW_DRAW || action == SW_BATCH))
        return SW_PHASE_TRAIN;
    return thread->phase;
}

/* Discards the innermost open region of an action and everything that is open inside it. */
static void leave_out_open(struct sw_profiler *sw, struct swi_thread *thread, int action,
                           enum swi_misuse kind, int other, int64_t now)
{
    int depth = swi_frame_of(thread, action);
    if (!depth)
        return;
    swi_misuse(sw, thread, kind, action, other);
    swi_regions_discard(sw, thread, depth - 1, now);
}

/* Builtin actions are in one region at a time, in whatever phase. The end of a container adds what
 * ended before it, but a batch keeps its whole step until its own end: so a container that begins
 * discards an open batch. */
static void replace_open(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    if (action == SW_FIT && thread->loop)
        swi_fit_replace(sw, thread, now);
    else if (action < SW_BUILTIN_ACTIONS && thread->open_builtin >> action & 1)
        leave_out_open(sw, thread, action, SWI_BEGUN_TWICE, -1, now);
    if (swi_is_container(action) && thread->open_builtin >> SW_BATCH & 1)
        leave_out_open(sw, thread, SW_BATCH, SWI_AROUND, action, now);
}

static bool is_open(const struct swi_thread *thread, const struct swi_row *row)
{
    for (int i = 0; i < swi_depth(thread); i++)
        if (thread->frame[-i].row == row || (row->inner && thread->frame[-i].row == row->inner))
            return true;
    return false;
}

/* Own actions may be recursive: calls inside an open call of the same row have a separate row
 * (report.c). */
static struct swi_row *row_of(struct swi_thread *thread, int action)
{
    struct swi_row *row = swi_thread_row(thread, phase_of(thread, action), action);
    bool again = row && action >= SW_BUILTIN_ACTIONS && is_open(thread, row);
    return again ? swi_thread_inner(thread, row) : row;
}

static void phase_began(struct swi_thread *thread, enum sw_phase phase, int64_t now)
{
    swi_thread_phase(thread, phase);
    swi_elapsed_run(&thread->elapsed, phase, now);
}

static void batch_began(struct swi_thread *thread)
{
    if (thread->phase == SW_PHASE_FIT)
        swi_thread_phase(thread, SW_PHASE_TRAIN);
    swi_waiting_sort(thread);
    thread->batch_first = (int)thread->ended_count;
    thread->frame->first = thread->ended_count;
    thread->batch_folded = false;
}

/* What else happens when a special action of the loop begins. */
static void special_began(struct sw_profiler *sw, struct swi_thread *thread, int action,
                          int64_t now)
{
    if (action == SW_FIT) {
        thread->spent = (struct swi_spent){0};
        swi_fit_began(sw, thread, now);
    } else if (action == SW_TRAIN || action == SW_VALID)
        phase_began(thread, action == SW_TRAIN ? SW_PHASE_TRAIN : SW_PHASE_VALID, now);
    else if (action == SW_BATCH)
        batch_began(thread);
    if (!swi_is_container(action))
        return;
    swi_steps_restart(sw, action);
    swi_fit_findings_cut(sw, action, true);
    swi_recorder_mark(&sw->records, SW_REGION_BEGIN, action, now);
}

/* Outside of train and valid, a draw makes the phase train, as its batch does. */
static void draw_began(struct swi_thread *thread)
{
    thread->drawing++;
    if (thread->loop && thread->phase == SW_PHASE_FIT)
        swi_thread_phase(thread, SW_PHASE_TRAIN);
}

static bool room_for_frame(struct swi_thread *thread)
{
    return swi_depth(thread) + 1 < thread->frame_capacity || swi_thread_grow_stack(thread);
}

static void push(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    struct swi_row *row = row_of(thread, action);
    if (!row || !room_for_frame(thread)) {
        thread->too_deep++;
        swi_misuse(sw, thread, SWI_TOO_DEEP, action, -1);
        return;
    }
    if (thread->counting)
        swi_counter_use_begin(thread->counting, swi_depth(thread) + 1, action);
    *++thread->frame = (struct swi_frame){
        .row = row, .start = now, .first = thread->ended_count, .action = action};
    if (action < SW_BUILTIN_ACTIONS)
        thread->open_builtin |= (uint16_t)(1U << action);
    if (thread->loop && swi_is_special(action))
        special_began(sw, thread, action, now);
    else if (action == SW_DRAW)
        draw_began(thread);
    if (thread->tracing)
        swi_trace(sw, thread, SW_REGION_BEGIN, action, now, NULL);
}

static void first_begin(struct swi_thread *thread, int64_t now)
{
    thread->begun = true;
    thread->first_tick = now;
    if (thread->counting)
        swi_counting_first(thread);
}

void swi_fold_begin(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    if (!thread->begun)
        first_begin(thread, now);
    replace_open(sw, thread, action, now);
    if (thread->claims && !thread->loop && (swi_is_container(action) || action == SW_BATCH))
        swi_loop_claim(sw, thread, action, now);
    push(sw, thread, action, now);
}

/* ---- end ------------------------------------------------------------------------------------- */

static void batch_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples,
                      int64_t now)
{
    uint32_t first = thread->frame->first;
    bool loop = thread->loop;
    swi_region_end(sw, thread, samples, now);
    if (!loop)
        return;
    swi_step_end(sw, thread, first, samples, now);
    swi_phase_back(thread);
}

/* Discards what is open above `depth` when the region at `depth` ends. A fit among it is ended,
 * with its report. */
static void uncover(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now)
{
    int fit = thread->loop ? swi_frame_of(thread, SW_FIT) : 0;
    if (fit > depth) {
        swi_regions_discard(sw, thread, fit, now);
        swi_phase_end(sw, thread, now);
    }
    swi_regions_discard(sw, thread, depth, now);
}

/* Makes the innermost open region of an action the innermost of all. Returns false if there is
 * none, or a fit is open in it that goes on as far as the calls know (near_stack.h). */
static bool frame_uncover(struct sw_profiler *sw, struct swi_thread *thread, int action, bool ends,
                          int64_t now)
{
    if (thread->frame->action == action)
        return true;
    int depth = swi_frame_of(thread, action);
    if (thread->loop && !thread->leaves && swi_frame_of(thread, SW_FIT) > depth)
        return false;
    if (depth) {
        if (ends)
            swi_misuses_crossed(sw, thread, depth, action);
        uncover(sw, thread, depth, now);
    }
    return depth != 0;
}

/* There was no room for the begin. */
static bool is_too_deep(struct swi_thread *thread)
{
    return thread->too_deep && thread->too_deep--;
}

/* A scope, or a region of C++, also ends its batch if sw_end_batch() has ended it. */
static bool is_again(const struct swi_thread *thread, int action, int64_t samples)
{
    return action == SW_BATCH && samples == 0 && thread->elapsed.steps > 0;
}

void swi_fold_end(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t samples,
                  int64_t now)
{
    if (is_too_deep(thread))
        return;
    if (!frame_uncover(sw, thread, action, true, now)) {
        if (action == SW_FIT && thread->loop)
            swi_fit_end(sw, thread, now);
        else if (!is_again(thread, action, samples))
            swi_misuse(sw, thread, SWI_NOT_BEGUN, action, -1);
        return;
    }
    if (action == SW_BATCH)
        batch_end(sw, thread, samples, now);
    else if (thread->loop && swi_is_container(action))
        swi_phase_end(sw, thread, now);
    else
        swi_region_end(sw, thread, -1, now);
}

bool swi_fold_leaf(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t begin,
                   int64_t end)
{
    bool plain = thread->begun && !thread->too_deep && !thread->tracing && !thread->counting &&
                 action != SW_DRAW && !swi_is_special(action);
    if (!plain || (action < SW_BUILTIN_ACTIONS && thread->open_builtin >> action & 1))
        return false;
    struct swi_row *row = row_of(thread, action);
    if (!row || !room_for_frame(thread))
        return false;
    swi_leaf_end(sw, thread, row, swi_ticks_between(begin, end));
    return true;
}

void swi_fold_next(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    int sibling = thread->frame->action;
    if (sibling >= 0 && !swi_is_special(sibling))
        swi_fold_end(sw, thread, sibling, 0, now);
    swi_fold_begin(sw, thread, action, now);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

/* Regions that ended in the batch count. */
static void batch_cancel(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    uint32_t first = thread->frame->first;
    swi_values_send(sw, thread, now);
    if (thread->tracing)
        swi_trace(sw, thread, SW_REGION_CANCEL, SW_BATCH, now, NULL);
    swi_frame_drop(thread);
    swi_step_cancel(sw, thread, first, now);
    swi_phase_back(thread);
}

void swi_fold_cancel(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    /* What remains of a fit is still reported. */
    if (thread->loop && action == SW_FIT) {
        swi_fold_end(sw, thread, action, 0, now);
        return;
    }
    if (is_too_deep(thread))
        return;
    if (!frame_uncover(sw, thread, action, false, now)) {
        swi_misuse(sw, thread, SWI_CANCEL_NOT_BEGUN, action, -1);
        return;
    }
    if (thread->loop && action == SW_BATCH) {
        batch_cancel(sw, thread, now);
        return;
    }
    swi_regions_cancel(sw, thread, swi_depth(thread) - 1, now);
    thread->discarded--; /* it was asked for */
}

void swi_fold_inside(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    int depth = thread->loop ? swi_frame_of(thread, action) : 0;
    if (depth)
        swi_regions_discard(sw, thread, depth, now);
}
