/* SPDX-License-Identifier: MIT */
#include "core/loop/begin_slow.h"
#include "core/loop/busy.h"
#include "core/loop/phase_end.h"
#include "core/loop/counting.h"
#include "core/loop/fit.h"
#include "core/loop/ignored_actions.h"
#include "core/loop/misuse.h"
#include "core/loop/region_fast.h"
#include "core/loop/sampling.h"
#include "core/loop/step.h"
#include "core/loop/recording_windows.h"

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

static bool room_for_frame(struct swi_thread *thread)
{
    return thread->frame < thread->frame_limit || swi_thread_grow_stack(thread);
}

/* Discards the innermost open region of an action and everything that is open inside it. Returns
 * whether there is one. */
static bool leave_out_open(struct sw_profiler *sw, struct swi_thread *thread, int action,
                           enum swi_misuse kind, int other)
{
    int depth = swi_frame_of(thread, action);
    if (!depth)
        return false;
    swi_misuse(sw, thread, kind, action, other);
    swi_regions_discard(sw, thread, depth - 1, swi_clock_tick(&sw->measured.clock));
    return true;
}

/* The end of a container folds what ended before it, but a batch keeps its whole step until its own
 * end. So a container that begins discards an open batch. Returns whether anything was open that
 * the action replaces. */
static bool replace_open(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    bool any = action == SW_FIT && thread->loop;
    if (any)
        swi_fit_replace(sw, thread);
    else if (action < SW_BUILTIN_ACTIONS)
        any = leave_out_open(sw, thread, action, SWI_BEGUN_TWICE, -1);
    if (swi_is_container(action))
        any |= leave_out_open(sw, thread, SW_BATCH, SWI_AROUND, action);
    return any;
}

/* Makes the thread the loop's if it begins an action of the loop. Returns whether it did. */
static bool claim_loop(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    if (thread->loop || !((SWI_CONTAINERS | SWI_BIT(SW_BATCH)) & swi_action_bit(action)))
        return false;
    swi_loop_claim(sw, thread, action);
    return true;
}

/* Builtin actions are in one region at a time, in whatever phase. So one that is open has no fast
 * entry in the new phase, and beginning it again takes the slow way. */
static void phase_enter(struct swi_thread *thread, enum sw_phase phase)
{
    swi_thread_phase(thread, phase);
    for (int i = 0; i < swi_depth(thread); i++) {
        int action = thread->frame[-i].action;
        if (action >= 0 && action < SW_BUILTIN_ACTIONS && !swi_is_special(action))
            *swi_thread_fast(thread, phase, action) = NULL;
    }
}

static void phase_began(struct swi_thread *thread, enum sw_phase phase)
{
    phase_enter(thread, phase);
    swi_phase_run(thread, phase, thread->frame->start);
}

/* What else happens when a special action begins. */
static void began(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    if (action == SW_FIT) {
        swi_sampling_restart(thread);
        swi_fit_began(sw, thread, thread->frame->start);
    } else if (action == SW_TRAIN || action == SW_VALID)
        phase_began(thread, action == SW_TRAIN ? SW_PHASE_TRAIN : SW_PHASE_VALID);
    else if (action == SW_BATCH && thread->phase == SW_PHASE_FIT)
        phase_enter(thread, SW_PHASE_TRAIN);
    if (swi_is_container(action)) {
        swi_steps_restart(sw, action);
        swi_fit_findings_cut(sw, action, true);
        swi_emit_mark(&sw->records, SW_REGION_BEGIN, action, thread->frame->start);
    }
    if (action == SW_BATCH) {
        SWI_SET(thread->batch_first, (int)thread->frame->first);
        thread->at_once = false;
        thread->batch_folded = false;
    }
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
    return SWI_UNLIKELY(again) ? swi_thread_inner(thread, row) : row;
}

/* Returns whether what ends in this draw waits for the batch, as the draw does: if their step will
 * be left out, or a sink is told of it. Otherwise it counts at once: the rows are the same, and a
 * draw can begin the fast way. Before there is a loop, this may be its thread and its first step.
 */
static bool keeps_drawn(struct sw_profiler *sw, const struct swi_thread *thread, int action)
{
    if (action != SW_DRAW || (!thread->loop && atomic_load(&sw->measured.loop)))
        return false;
    bool left_out = thread->loop ? swi_is_left_out(sw, thread) : sw->measured.chosen.drop;
    return left_out || swi_wants(&sw->records, SW_RECORD_STEP);
}

/* A region whose next begin may be fast has its own entry; the others share one that nobody reads.
 */
static struct swi_frame *frame_fill_slow(struct swi_thread *thread, struct swi_row *row, int action,
                                         bool keeps)
{
    bool fast = !swi_is_special(action) && !row->is_inner && row->phase == thread->phase && !keeps;
    struct swi_row **entry = fast ? swi_thread_fast(thread, row->phase, action) : &thread->unused;
    bool told = SWI_UNLIKELY(thread->apart) && (thread->tracing || thread->probe);
    int plain = !fast ? -1 : told ? swi_plain_traced(action) : action;
    struct swi_frame *frame = swi_frame_fill(thread, entry, row, action, plain);
    frame->first = swi_ended_count(thread);
    return frame;
}

/* Outside of train and valid, a draw makes the phase train, as its batch does. */
static void draw_began(struct swi_thread *thread, bool keeps)
{
    if (thread->loop && thread->phase == SW_PHASE_FIT)
        phase_enter(thread, SW_PHASE_TRAIN);
    if (keeps)
        thread->at_once = false;
}

static void begin_too_deep(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    thread->too_deep++;
    thread->frame->plain = -1;
    swi_misuse(sw, thread, SWI_TOO_DEEP, action, -1);
}

static void begin_tell(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    swi_probe_begin(sw, thread, thread->frame->start);
    if (thread->tracing)
        swi_trace(sw, thread, SW_REGION_BEGIN, action, thread->frame->start, -1);
}

static void begin_looked_at(struct sw_profiler *sw, struct swi_thread *thread, int action,
                            int64_t now)
{
    bool replaces = replace_open(sw, thread, action), claims = claim_loop(sw, thread, action);
    if (replaces || claims)
        now = 0; /* what was replaced ended later, and the loop's fit may begin later */
    struct swi_row *row = row_of(thread, action);
    if (!row || !room_for_frame(thread)) {
        begin_too_deep(sw, thread, action);
        return;
    }
    bool keeps = keeps_drawn(sw, thread, action);
    struct swi_frame *frame = frame_fill_slow(thread, row, action, keeps);
    if (SWI_UNLIKELY(thread->apart) && SWI_GET(thread->counting))
        swi_counting_begin(thread, action, now);
    swi_frame_begin(thread, frame, row, now ? now : swi_clock_tick(&sw->measured.clock));
    if (thread->loop && swi_is_special(action))
        began(sw, thread, action);
    else if (action == SW_DRAW)
        draw_began(thread, keeps);
    if (SWI_UNLIKELY(thread->apart))
        begin_tell(sw, thread, action);
}

static SWI_APART void container_begin(struct sw_profiler *sw, struct swi_thread *thread, int action,
                                      int64_t now)
{
    SWI_RARE_WORK(&sw->measured);
    swi_waiting_add(sw, thread);
    begin_looked_at(sw, thread, action, now);
}

void swi_begin_slow(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    if (swi_is_ignored_slow(sw, action))
        return;
    SWI_BUSY(sw);
    if (action < 0 || action >= SWI_ACTIONS)
        action = SWI_ACTION_OTHER;
    if (SWI_UNLIKELY(swi_is_copied(&sw->measured)))
        swi_thread_find(sw);
    else if (SWI_UNLIKELY(swi_is_container(action)))
        container_begin(sw, thread, action, now);
    else
        begin_looked_at(sw, thread, action, now);
}
