/* SPDX-License-Identifier: MIT */
/* What the begin of a region leads to when it is folded. */
#include "core/loop/counting.h"
#include "core/loop/fit.h"
#include "core/loop/fold.h"
#include "core/loop/misuse.h"
#include "core/loop/recording_windows.h"
#include "core/loop/open_regions.h"
#include "core/loop/step.h"

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

void swi_fold_begin(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    if (!thread->begun)
        swi_fit_first_begin(thread, now);
    replace_open(sw, thread, action, now);
    if (thread->claims && !thread->loop && (swi_is_container(action) || action == SW_BATCH))
        swi_loop_claim(sw, thread, action, now);
    push(sw, thread, action, now);
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
