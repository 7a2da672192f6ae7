/* SPDX-License-Identifier: MIT */
/* Folds the events of one thread in their order. A begin goes on in fold_begin.c, an end in step.c
 * or fit.c. */
#include "core/loop/counting.h"
#include "core/loop/fit.h"
#include "core/loop/fold.h"
#include "core/loop/misuse.h"
#include "core/loop/open_regions.h"
#include "core/loop/recording_windows.h"
#include "core/loop/step.h"

/* ---- what has no action ---------------------------------------------------------------------- */

static uint64_t what_of(const struct swi_event *event)
{
    return atomic_load_explicit(&event->what, memory_order_relaxed);
}

static void cost_fold(struct swi_thread *thread, uint64_t what, int64_t rest)
{
    const struct swi_timed_cost cost = {(int64_t)swi_event_payload(what), rest,
                                        swi_event_action(what) & SWI_COST_BEGUN,
                                        swi_event_action(what) & SWI_COST_ALONE};
    swi_spent_add(&thread->spent, swi_stratum_of(thread->phase), &cost);
}

/* Returns whether it was such an event. slots: how many it has. */
static bool other_fold(struct sw_profiler *sw, struct swi_thread *thread,
                       const struct swi_event *event, uint32_t slots, uint64_t what)
{
    switch (swi_event_kind(what)) {
    case SWI_EVENT_LOG:
        if (slots > 1)
            swi_log_fold(sw, thread, event, swi_event_action(what));
        return true;
    case SWI_EVENT_COUNT:
        if (slots > 1 && swi_event_action(what) < SWI_USER_COUNTERS)
            swi_counting_count(sw, thread, swi_event_action(what), event[1].tick);
        return true;
    case SWI_EVENT_COST:
        cost_fold(thread, what, slots > 1 ? event[1].tick : 0);
        return true;
    case SWI_EVENT_FITS:
    case SWI_EVENT_PART:
        return true;
    default:
        return false;
    }
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

/* Ends the innermost region of an action. samples: of a batch. */
static void fold_end(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t samples,
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

/* Ends the innermost region if it is a sibling, and begins the next one. */
static void fold_next(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    int sibling = thread->frame->action;
    if (sibling >= 0 && !swi_is_special(sibling))
        fold_end(sw, thread, sibling, 0, now);
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

/* The innermost region of an action does not count, what ended inside it does. */
static void fold_cancel(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    /* What remains of a fit is still reported. */
    if (thread->loop && action == SW_FIT) {
        fold_end(sw, thread, action, 0, now);
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

/* What is open inside the innermost region of an action is discarded. */
static void fold_inside(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    int depth = thread->loop ? swi_frame_of(thread, action) : 0;
    if (depth)
        swi_regions_discard(sw, thread, depth, now);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Takes what the thread read of its counters. Returns how many slots the event has. */
static uint32_t parts_take(struct sw_profiler *sw, struct swi_thread *thread,
                           const struct swi_event *event, const struct swi_event *end, bool counts)
{
    uint32_t slots = 1;
    bool counting = counts && (thread->counting || sw->measured.counters.chosen) &&
                    swi_counting_look(sw, thread);
    for (; event + slots < end; slots++) {
        uint64_t what = what_of(event + slots);
        if (swi_event_kind(what) != SWI_EVENT_PART)
            break;
        if (counting)
            swi_counting_take(thread, event[slots].tick, what);
    }
    return slots;
}

/* The thread that had this memory before has ended. */
static void inherited(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    if (!thread->loop)
        swi_regions_cancel(sw, thread, 0, now);
}

static int64_t samples_of(const struct swi_event *event, uint32_t slots, uint64_t what)
{
    uint64_t samples = swi_event_payload(what);
    return samples == SWI_PAYLOAD_MAX && slots > 1 ? event[slots - 1].tick : (int64_t)samples;
}

static int action_of(uint64_t what)
{
    int action = swi_event_action(what);
    return action < SWI_ACTIONS ? action : SWI_ACTION_OTHER;
}

static void region_fold(struct sw_profiler *sw, struct swi_thread *thread,
                        const struct swi_event *event, uint32_t slots, uint64_t what)
{
    int action = action_of(what);
    int64_t now = event->tick;
    uint64_t payload = swi_event_payload(what);
    if (swi_gap_is_pending(&sw->measured, thread))
        swi_gaps_take_out(sw, thread, now);
    if (action != SW_BATCH && payload > thread->fits_noted)
        thread->fits_noted = payload;
    enum swi_event_kind kind = swi_event_kind(what);
    thread->leaves =
        action != SW_BATCH && payload && (kind == SWI_EVENT_END || kind == SWI_EVENT_CANCEL);
    switch (kind) {
    case SWI_EVENT_BEGIN:
        swi_fold_begin(sw, thread, action, now);
        break;
    case SWI_EVENT_END:
        fold_end(sw, thread, action, action == SW_BATCH ? samples_of(event, slots, what) : 0, now);
        break;
    case SWI_EVENT_NEXT:
        fold_next(sw, thread, action, now);
        break;
    case SWI_EVENT_CANCEL:
        fold_cancel(sw, thread, action, now);
        break;
    case SWI_EVENT_INSIDE:
        fold_inside(sw, thread, action, now);
        break;
    case SWI_EVENT_INHERITED:
        inherited(sw, thread, now);
        break;
    case SWI_EVENT_CLAIM:
        thread->claims = true;
        break;
    default:
        break;
    }
    /* By now another thread may have the loop. */
    if (thread->leaves && thread->loop)
        swi_fit_end(sw, thread, now);
    thread->leaves = false;
}

/* ---- how far --------------------------------------------------------------------------------- */

static bool is_beyond(const struct swi_event *event, uint64_t what,
                      const struct swi_fold_limit *limit)
{
    enum swi_event_kind kind = swi_event_kind(what);
    if (kind == SWI_EVENT_FITS)
        return swi_event_payload(what) >= limit->fits;
    return kind != SWI_EVENT_PART && kind != SWI_EVENT_COST && event->tick > limit->upto;
}

/* What must be done before the event is folded. */
static enum swi_fold_stop needed(const struct sw_profiler *sw, const struct swi_event *event,
                                 uint64_t what, const struct swi_fold_limit *limit)
{
    enum swi_event_kind kind = swi_event_kind(what);
    if (kind == SWI_EVENT_FITS && swi_event_payload(what) > limit->followed &&
        swi_event_payload(what) > sw->measured.fits_folded)
        return SWI_FOLD_FOLLOW;
    bool timed = kind != SWI_EVENT_FITS && kind != SWI_EVENT_PART && kind != SWI_EVENT_COST;
    return timed && event->tick > limit->compared ? SWI_FOLD_COMPARE : SWI_FOLD_DONE;
}

/* Returns whether it was noted too late for the fold at a pause, when what its thread had open was
 * discarded, or before the thread noticed the pause. The end of a fit counts, because by now
 * another thread may have the loop. */
static bool is_left_out(const struct sw_profiler *sw, const struct swi_event *event, uint64_t what)
{
    enum swi_event_kind kind = swi_event_kind(what);
    if (event->tick >= sw->measured.left_out)
        return false;
    if (kind == SWI_EVENT_LOG || kind == SWI_EVENT_COUNT)
        return sw->measured.standing && event->tick > sw->measured.pause_tick;
    return kind <= SWI_EVENT_INSIDE &&
           (swi_event_action(what) == SW_BATCH || !swi_event_payload(what));
}

/* Returns whether the event was folded. */
static bool event_fold(struct sw_profiler *sw, struct swi_thread *thread,
                       const struct swi_event **at, const struct swi_event *end,
                       const struct swi_fold_limit *limit, enum swi_fold_stop *stop)
{
    const struct swi_event *event = *at;
    uint64_t what = what_of(event);
    if (is_beyond(event, what, limit) || (*stop = needed(sw, event, what, limit)) != SWI_FOLD_DONE)
        return false;
    if (!thread->any_folded)
        swi_tracing_thread(sw, thread);
    thread->any_folded = true;
    uint32_t slots = parts_take(sw, thread, event, end, swi_event_kind(what) <= SWI_EVENT_NEXT);
    *at = event + slots;
    if (!is_left_out(sw, event, what) && !other_fold(sw, thread, event, slots, what))
        region_fold(sw, thread, event, slots, what);
    return true;
}

/* Returns whether a region ends by the next event, with nothing inside. */
static bool is_leaf(const struct swi_event *event, const struct swi_event *end, uint64_t what,
                    int64_t upto)
{
    return event + 1 < end && event[1].tick <= upto &&
           what_of(event + 1) == what - SWI_EVENT_BEGIN + SWI_EVENT_END;
}

/* Most events are begins and ends of regions, of a thread that counts nothing. Folds these as far
 * as they are nothing else; event_fold() goes on. */
static void usual_fold(struct sw_profiler *sw, struct swi_thread *thread,
                       const struct swi_event **at, const struct swi_event *end, int64_t upto)
{
    for (const struct swi_event *event = *at; event < end; event++) {
        uint64_t what = what_of(event);
        enum swi_event_kind kind = swi_event_kind(what);
        int action = swi_event_action(what);
        if (kind < SWI_EVENT_BEGIN || kind > SWI_EVENT_NEXT || swi_event_payload(what) ||
            action >= SWI_ACTIONS || event->tick > upto ||
            swi_gap_is_pending(&sw->measured, thread))
            return;
        if (kind == SWI_EVENT_BEGIN && !thread->tracing && is_leaf(event, end, what, upto)) {
            *at = event + 2;
            if (swi_fold_leaf(sw, thread, action, event->tick, event[1].tick)) {
                event++;
                continue;
            }
        }
        *at = event + 1;
        if (kind == SWI_EVENT_BEGIN)
            swi_fold_begin(sw, thread, action, event->tick);
        else if (kind == SWI_EVENT_END)
            fold_end(sw, thread, action, 0, event->tick);
        else
            fold_next(sw, thread, action, event->tick);
    }
}

static bool is_usual(const struct sw_profiler *sw, const struct swi_thread *thread,
                     const struct swi_event *event, const struct swi_fold_limit *limit)
{
    return thread->any_folded && !thread->counting && !sw->measured.counters.chosen &&
           !limit->until && event->tick >= sw->measured.left_out;
}

enum swi_fold_stop swi_fold_events(struct sw_profiler *sw, struct swi_thread *thread,
                                   const struct swi_event **at, const struct swi_event *end,
                                   const struct swi_fold_limit *limit)
{
    int64_t near = limit->upto < limit->compared ? limit->upto : limit->compared;
    enum swi_fold_stop stop = SWI_FOLD_DONE;
    while (*at < end && (!limit->until || sw->measured.fits_folded < limit->until)) {
        if (is_usual(sw, thread, *at, limit))
            usual_fold(sw, thread, at, end, near);
        if (*at < end && !event_fold(sw, thread, at, end, limit, &stop))
            break;
    }
    return stop;
}
