/* SPDX-License-Identifier: MIT */
#include "core/loop/counting.h"
#include "core/loop/fit.h"
#include "core/loop/fold.h"
#include "core/loop/recording_windows.h"
#include "core/loop/stack.h"
#include "core/loop/step.h"
#include "core/records/metric_record.h"

#include <string.h>

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

/* Takes the gaps of the clock that lie before an event out of what is open. now: its tick. */
static void gaps_take_out(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
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

/* ---- what has no action ---------------------------------------------------------------------- */

static uint64_t what_of(const struct swi_event *event)
{
    return atomic_load_explicit(&event->what, memory_order_relaxed);
}

static void log_fold(struct sw_profiler *sw, struct swi_thread *thread,
                     const struct swi_event *event, uint64_t what)
{
    const char *name = swi_metric_name_of(sw->records.names, (unsigned)swi_event_action(what));
    double value;
    memcpy(&value, &event[1].tick, sizeof value);
    if (name)
        swi_log_fold(sw, thread, name, value, event->tick);
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
            log_fold(sw, thread, event, what);
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
        gaps_take_out(sw, thread, now);
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
        swi_fold_end(sw, thread, action, action == SW_BATCH ? samples_of(event, slots, what) : 0,
                     now);
        break;
    case SWI_EVENT_NEXT:
        swi_fold_next(sw, thread, action, now);
        break;
    case SWI_EVENT_CANCEL:
        swi_fold_cancel(sw, thread, action, now);
        break;
    case SWI_EVENT_INSIDE:
        swi_fold_inside(sw, thread, action, now);
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

/* Returns whether the event was folded. */
static bool fold_next(struct sw_profiler *sw, struct swi_thread *thread,
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
    if (!other_fold(sw, thread, event, slots, what))
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
 * as they are nothing else; fold_next() goes on. */
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
            swi_fold_end(sw, thread, action, 0, event->tick);
        else
            swi_fold_next(sw, thread, action, event->tick);
    }
}

static bool is_usual(const struct sw_profiler *sw, const struct swi_thread *thread,
                     const struct swi_fold_limit *limit)
{
    return thread->any_folded && !thread->counting && !sw->measured.counters.chosen &&
           !limit->until;
}

enum swi_fold_stop swi_fold_events(struct sw_profiler *sw, struct swi_thread *thread,
                                   const struct swi_event **at, const struct swi_event *end,
                                   const struct swi_fold_limit *limit)
{
    int64_t near = limit->upto < limit->compared ? limit->upto : limit->compared;
    enum swi_fold_stop stop = SWI_FOLD_DONE;
    while (*at < end && (!limit->until || sw->measured.fits_folded < limit->until)) {
        if (is_usual(sw, thread, limit))
            usual_fold(sw, thread, at, end, near);
        if (*at < end && !fold_next(sw, thread, at, end, limit, &stop))
            break;
    }
    return stop;
}
