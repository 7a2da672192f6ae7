/* SPDX-License-Identifier: MIT */
#include "core/loop/region_events.h"
#include "core/loop/calling_thread.h"
#include "core/loop/counting.h"
#include "core/loop/fit.h"
#include "core/loop/near_stack.h"
#include "core/loop/note_event.h"
#include "core/loop/recording_windows.h"
#include "core/loop/timed_calls.h"
#include "core/process/own_floats.h"

/* Sixty-four times a second, so that it is known what lay before a gap of the clock and what behind
 * it (fold.c). */
static void clocks_look(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    SWI_OWN_FLOATS;
    struct swi_clock *clock = &sw->measured.clock;
    if (swi_clock_due(clock, now) && !swi_clock_look_unless_held(clock, now))
        return; /* the next call looks */
    thread->clocks_compared = now;
    thread->clocks_span = clock->counter ? SWI_GET(clock->second) / 64 : INT64_MAX;
}

static int known(int action)
{
    return action < 0 || action >= SWI_ACTIONS ? SWI_ACTION_OTHER : action;
}

static bool begins_loop(int action)
{
    return swi_is_container(action) || action == SW_BATCH;
}

/* A loop without a fit gets one: around all that is open, unless that was open when another fit of
 * the thread ended (fit.c). The begin that leads to it is the innermost region by now. */
static void fit_is_made(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    thread->in_fit = true;
    if (thread->top == thread->near + 1 || !thread->was_around)
        return;
    SWI_FOLDED(&sw->measured);
    thread->in_fit = swi_fit_is_around(thread);
    if (thread->in_fit)
        return;
    thread->top--;
    swi_near_begin(thread, SW_FIT);
    swi_near_begin(thread, action);
}

/* Another fit of the loop's thread ends with this begin. */
static uint64_t fit_leave(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (thread->claimed)
        swi_near_end(thread, SW_FIT);
    uint64_t fits = swi_loop_leave(sw, thread);
    swi_sampling_restart(sw, thread);
    if (fits)
        swi_loop_left(sw);
    return fits;
}

/* Remembers that an action begins. Returns how many fits have ended, if one does with it. */
static uint64_t begin_near(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    if (!begins_loop(action) || (thread->claimed && action != SW_FIT)) {
        swi_near_begin(thread, action);
        return 0;
    }
    uint64_t fits = action == SW_FIT ? fit_leave(sw, thread) : 0;
    swi_loop_begin(sw, thread);
    swi_near_begin(thread, action);
    if (thread->claimed && action != SW_FIT)
        fit_is_made(sw, thread, action);
    return fits;
}

void swi_note_begin(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    action = known(action);
    uint64_t fits = begin_near(sw, thread, action);
    if (thread->reading)
        swi_counters_read_at_begin(thread, action);
    int64_t now = swi_clock_tick(&sw->measured.clock);
    if (swi_clocks_due(thread, now))
        clocks_look(sw, thread, now);
    swi_note_read(thread, now, swi_event_what(SWI_EVENT_BEGIN, action, fits));
    swi_probe_begin(sw, thread, now);
}

/* Notes the end of a region, and of what is open in it. */
static void end_note(struct sw_profiler *sw, struct swi_thread *thread, int64_t now, uint64_t what)
{
    int action = swi_event_action(what);
    bool leaves = swi_near_end(thread, action) && thread->claimed;
    uint64_t fits = leaves ? swi_loop_leave(sw, thread) : 0;
    swi_note_read(thread, now, what | fits << SWI_EVENT_PAYLOAD);
    if (leaves)
        swi_loop_left(sw);
    swi_probe_end(sw, thread, now);
    /* A clock that stands does not say what came before. */
    if (sw->measured.clock.set && (action == SW_EPOCH || action == SW_FIT)) {
        SWI_FOLDED(&sw->measured);
    }
}

void swi_note_end(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    action = known(action);
    if (action == SW_BATCH) {
        swi_note_batch_end(sw, thread, 0, now);
        return;
    }
    if (swi_clocks_due(thread, now))
        clocks_look(sw, thread, now);
    if (thread->reading)
        swi_counters_read_at_end(thread, action);
    end_note(sw, thread, now, swi_event_what(SWI_EVENT_END, action, 0));
}

/* Returns whether sw_next() ends the innermost region. */
static bool has_sibling(const struct swi_thread *thread)
{
    int sibling = swi_near_innermost(thread);
    return sibling >= 0 && !swi_is_special(sibling);
}

void swi_note_next(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    int sibling = has_sibling(thread) ? swi_near_innermost(thread) : -1;
    action = known(action);
    if (swi_is_ignored_slow(sw, action)) {
        if (sibling >= 0)
            swi_note_end(sw, thread, sibling, swi_clock_tick(&sw->measured.clock));
        return;
    }
    int64_t now = swi_clock_tick(&sw->measured.clock);
    if (thread->reading)
        swi_counters_read_at_end(thread,
                                 sibling >= 0 && swi_counters_is_wide(sibling) ? sibling : action);
    if (sibling >= 0)
        swi_near_end(thread, sibling);
    if (sibling >= 0)
        swi_probe_end(sw, thread, now);
    uint64_t fits = begin_near(sw, thread, action);
    swi_note_read(thread, now, swi_event_what(SWI_EVENT_NEXT, action, fits));
    swi_probe_begin(sw, thread, now);
}

/* ---- the end of a batch ---------------------------------------------------------------------- */

static uint64_t batch_code(int64_t samples)
{
    uint64_t most = (uint64_t)samples < SWI_PAYLOAD_MAX ? (uint64_t)samples : SWI_PAYLOAD_MAX;
    return swi_event_what(SWI_EVENT_END, SW_BATCH, most);
}

/* A schedule or a capture decides where the loop is whether the next step is recorded. */
static void batch_checks(struct sw_profiler *sw, struct swi_thread *thread, bool train, int64_t now)
{
    swi_sampling_batch_ended(sw, thread);
    bool closed = false;
    if (thread->claimed && train && SWI_GET(sw->loop.windows_due)) {
        SWI_FOLDED(&sw->measured);
        closed = swi_windows_step(sw, now);
    }
    if (closed)
        swi_windows_tell(sw);
    swi_sampling_wait(sw, thread);
}

void swi_note_batch_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples,
                        int64_t now)
{
    if (swi_clocks_due(thread, now))
        clocks_look(sw, thread, now);
    bool train = swi_near_phase(thread) == SW_PHASE_TRAIN,
         open = swi_near_is_open(thread, SW_BATCH);
    if (thread->reading)
        swi_counters_read_at_end(thread, SW_BATCH);
    swi_near_end(thread, SW_BATCH);
    if ((uint64_t)samples >= SWI_PAYLOAD_MAX)
        swi_note_number(thread, now, batch_code(samples), samples);
    else
        swi_note_read(thread, now, batch_code(samples));
    swi_probe_end(sw, thread, now);
    if (--thread->window_left == 0)
        batch_checks(sw, thread, train && open, now);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

void swi_note_cancel(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    int64_t now = swi_clock_tick(&sw->measured.clock);
    action = known(action);
    bool leaves = swi_near_end(thread, action) && thread->claimed;
    uint64_t fits = leaves ? swi_loop_leave(sw, thread) : 0;
    swi_note_event(thread, now, swi_event_what(SWI_EVENT_CANCEL, action, fits));
    if (leaves)
        swi_loop_left(sw);
    swi_probe_end(sw, thread, now);
    if (action == SW_BATCH && --thread->window_left == 0)
        swi_sampling_batch_ended(sw, thread);
}
