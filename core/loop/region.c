/* SPDX-License-Identifier: MIT */
/* The hot path: begin, next, end and the end of a batch. Each reads the clock once and notes an
 * event in the calling thread's own memory. begin reads the clock last and end reads it first, so
 * that only the user's time is measured. The usual case calls no function; every other case jumps
 * to a separate one, so that no register is saved in vain. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/calling_thread.h"
#include "core/loop/counting.h"
#include "core/loop/near_stack.h"
#include "core/loop/note_event.h"
#include "core/loop/region_events.h"
#include "core/loop/timed_calls.h"

static SWI_INLINE uint64_t code(enum swi_event_kind kind, int action)
{
    return (uint64_t)kind | (uint64_t)(unsigned)action << SWI_EVENT_ACTION;
}

/* ---- calls that look closer ------------------------------------------------------------------ */

/* Timed calls use these names, so that no preloaded library comes between. */
static __typeof__(sw_begin) begin_call __attribute__((alias("sw_begin")));
static __typeof__(sw_next) next_call __attribute__((alias("sw_next")));
static __typeof__(sw_end) end_call __attribute__((alias("sw_end")));
static __typeof__(sw_end_batch) end_batch_call __attribute__((alias("sw_end_batch")));

/* Returns whether the call began a region of an action with its own row. */
static bool has_begun(const struct swi_thread *thread, const struct swi_timed_call *call,
                      int action)
{
    int depth = swi_near_depth(thread);
    bool next = depth && depth == call->depth && swi_near_innermost(thread) == action;
    return !swi_is_container(action) && (depth > call->depth || next);
}

/* For the mode alone, and without a call. */
static SWI_INLINE bool is_left_out(const struct sw_profiler *sw, int action)
{
    return swi_is_ignored(sw, action) && swi_thread_is_known(sw);
}

/* Returns whether there is nothing to do. Such a call is not timed, because timing it would take
 * longer than the call. */
static bool is_nothing(const struct sw_profiler *sw, int action)
{
    return swi_is_ignored_slow(sw, action) && swi_thread_is_known(sw);
}

static SWI_NOINLINE void begin_slow(struct sw_profiler *sw, int action)
{
    int64_t entered;
    if (is_nothing(sw, action) || swi_busy_refuses(action))
        return;
    struct swi_thread *thread = swi_thread_entered(sw, &entered);
    if (thread && swi_is_timed(thread))
        SWI_TIMED(sw, thread, entered, begin_call(sw, action), has_begun(thread, &call, action));
    else if (thread && !swi_is_ignored_slow(sw, action))
        swi_note_begin(sw, thread, action);
}

static SWI_NOINLINE void next_slow(struct sw_profiler *sw, int action)
{
    int64_t entered;
    if (swi_busy_refuses(action))
        return;
    struct swi_thread *thread = swi_thread_entered(sw, &entered);
    if (thread && swi_is_timed(thread))
        SWI_TIMED(sw, thread, entered, next_call(sw, action), has_begun(thread, &call, action));
    else if (thread)
        swi_note_next(sw, thread, action);
}

static SWI_NOINLINE void end_slow(struct sw_profiler *sw, int action)
{
    int64_t entered;
    if (is_nothing(sw, action) || swi_busy_refuses(action))
        return;
    struct swi_thread *thread = swi_thread_entered(sw, &entered);
    if (thread && swi_is_timed(thread))
        SWI_TIMED(sw, thread, entered, end_call(sw, action), false);
    else if (thread && !swi_is_ignored_slow(sw, action))
        swi_note_end(sw, thread, action, swi_clock_tick(&sw->measured.clock));
}

static SWI_NOINLINE void end_batch_slow(struct sw_profiler *sw, int64_t samples)
{
    if (swi_busy_refuses(SW_BATCH))
        return;
    struct swi_thread *thread = swi_thread_get(sw);
    if (thread && swi_is_timed(thread))
        SWI_TIMED(sw, thread, 0, end_batch_call(sw, samples), false);
    else if (thread)
        swi_note_batch_end(sw, thread, samples, swi_clock_tick(&sw->measured.clock));
}

/* Of calls that need no closer look, what is not the usual case. */
static SWI_NOINLINE void begin_unusual(struct swi_thread *thread, int action)
{
    struct sw_profiler *sw = thread->profiler;
    if (!swi_is_ignored_slow(sw, action))
        swi_note_begin(sw, thread, action);
}

/* Returns whether a batch that begins above a place neither begins a fit nor may replace another
 * batch. */
static SWI_INLINE bool takes_batch(const struct swi_thread *thread, const uint16_t *at)
{
    unsigned around = swi_near_builtin(at);
    return thread->claimed && !swi_is_usual(around) && around != (SW_BATCH | SWI_NEAR_SPECIAL);
}

/* As in each step. */
static SWI_NOINLINE void begin_special(struct swi_thread *thread, int action)
{
    if (action != SW_BATCH || swi_near_is_full(thread) || !takes_batch(thread, thread->top)) {
        begin_unusual(thread, action);
        return;
    }
    swi_near_push(thread, SW_BATCH | SWI_NEAR_SPECIAL);
    swi_note_event(thread, swi_counter(), code(SWI_EVENT_BEGIN, SW_BATCH));
}

/* From a draw to its batch, as in each step. */
static SWI_NOINLINE void next_special(struct swi_thread *thread, int action)
{
    if (action != SW_BATCH || !swi_is_usual(*thread->top) ||
        !takes_batch(thread, thread->top - 1)) {
        swi_note_next(thread->profiler, thread, action);
        return;
    }
    *thread->top = SW_BATCH | SWI_NEAR_SPECIAL;
    swi_note_event(thread, swi_counter(), code(SWI_EVENT_NEXT, SW_BATCH));
}

static SWI_NOINLINE void end_special(struct swi_thread *thread, int action, int64_t now)
{
    struct sw_profiler *sw = thread->profiler;
    if (!swi_is_ignored_slow(sw, action))
        swi_note_end(sw, thread, action, now);
}

static SWI_NOINLINE void end_batch_special(struct swi_thread *thread, int64_t samples, int64_t now)
{
    swi_note_batch_end(thread->profiler, thread, samples, now);
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* What a call does on a thread that needs no closer look. The calls themselves do it for the
 * profiler's first thread: its state has a known address, so that with cold caches they need not
 * wait for thread-local memory before they ask for it. Other threads find theirs there. */

static SWI_INLINE void begin_on(struct swi_thread *thread, int action)
{
    if (SWI_UNLIKELY(!swi_is_usual((unsigned)action) || swi_near_is_full(thread))) {
        begin_special(thread, action);
        return;
    }
    swi_near_push(thread, action);
    swi_note_event(thread, swi_counter(), code(SWI_EVENT_BEGIN, action));
}

static SWI_INLINE void next_on(struct swi_thread *thread, int action)
{
    if (SWI_UNLIKELY(!swi_is_usual(*thread->top) || !swi_is_usual((unsigned)action))) {
        next_special(thread, action);
        return;
    }
    *thread->top = (uint16_t)action;
    swi_note_event(thread, swi_counter(), code(SWI_EVENT_NEXT, action));
}

static SWI_INLINE void end_on(struct swi_thread *thread, int action)
{
    int64_t now = swi_counter();
    if (SWI_UNLIKELY(*thread->top != (unsigned)action)) {
        end_special(thread, action, now);
        return;
    }
    thread->top--;
    swi_note_event(thread, now, code(SWI_EVENT_END, action));
}

static SWI_INLINE void end_batch_on(struct swi_thread *thread, int64_t samples)
{
    int64_t now = swi_counter();
    if (SWI_UNLIKELY(*thread->top != (SW_BATCH | SWI_NEAR_SPECIAL) || thread->window_left == 1 ||
                     (uint64_t)samples >= SWI_PAYLOAD_MAX || swi_clocks_due(thread, now))) {
        end_batch_special(thread, samples, now);
        return;
    }
    thread->top--;
    thread->window_left--;
    swi_note_event(thread, now,
                   code(SWI_EVENT_END, SW_BATCH) | (uint64_t)samples << SWI_EVENT_PAYLOAD);
}

/* The same with another clock, or with what the thread reads of its counters: at a begin before the
 * clock, at an end behind it. */

static SWI_INLINE int64_t tick_of(const struct swi_thread *thread)
{
    return swi_clock_tick(&thread->profiler->measured.clock);
}

static SWI_NOINLINE void begin_longer(struct swi_thread *thread, int action)
{
    if (SWI_UNLIKELY(!swi_is_usual((unsigned)action) || swi_near_is_full(thread))) {
        begin_unusual(thread, action);
        return;
    }
    swi_near_push(thread, action);
    if (thread->reading)
        swi_counters_read_at_begin(thread, action);
    swi_note_read(thread, tick_of(thread), code(SWI_EVENT_BEGIN, action));
}

static SWI_NOINLINE void next_longer(struct swi_thread *thread, int action)
{
    int sibling = *thread->top;
    if (SWI_UNLIKELY(!swi_is_usual((unsigned)sibling) || !swi_is_usual((unsigned)action))) {
        swi_note_next(thread->profiler, thread, action);
        return;
    }
    int64_t now = tick_of(thread);
    if (thread->reading)
        swi_counters_read_at_end(thread, swi_counters_is_wide(sibling) ? sibling : action);
    *thread->top = (uint16_t)action;
    swi_note_read(thread, now, code(SWI_EVENT_NEXT, action));
}

static SWI_NOINLINE void end_longer(struct swi_thread *thread, int action)
{
    int64_t now = tick_of(thread);
    if (SWI_UNLIKELY(*thread->top != (unsigned)action)) {
        end_special(thread, action, now);
        return;
    }
    thread->top--;
    if (thread->reading)
        swi_counters_read_at_end(thread, action);
    swi_note_read(thread, now, code(SWI_EVENT_END, action));
}

static SWI_HOT_LINES SWI_NOINLINE void begin_later(struct sw_profiler *sw, int action)
{
    if (SWI_LIKELY(swi_later_counted(sw, action)))
        begin_on(swi_thread_known(sw), action);
    else if (swi_counted_is(sw, SWI_COUNTED_LONGER))
        begin_longer(swi_thread_known(sw), action);
    else
        begin_slow(sw, action);
}

static SWI_HOT_LINES SWI_NOINLINE void next_later(struct sw_profiler *sw, int action)
{
    if (SWI_LIKELY(swi_later_counted(sw, action) && !swi_is_ignored(sw, action)))
        next_on(swi_thread_known(sw), action);
    else if (swi_counted_is(sw, SWI_COUNTED_LONGER))
        next_longer(swi_thread_known(sw), action);
    else
        next_slow(sw, action);
}

static SWI_HOT_LINES SWI_NOINLINE void end_later(struct sw_profiler *sw, int action)
{
    if (SWI_LIKELY(swi_later_counted(sw, action)))
        end_on(swi_thread_known(sw), action);
    else if (swi_counted_is(sw, SWI_COUNTED_LONGER))
        end_longer(swi_thread_known(sw), action);
    else
        end_slow(sw, action);
}

static SWI_HOT_LINES SWI_NOINLINE void end_batch_later(struct sw_profiler *sw, int64_t samples)
{
    if (SWI_LIKELY(swi_later_counted(sw, SW_BATCH)))
        end_batch_on(swi_thread_known(sw), samples);
    else
        end_batch_slow(sw, samples);
}

SWI_HOT_FIRST SWI_NOINLINE void sw_begin(struct sw_profiler *sw, int action)
{
    if (!sw)
        return;
    if (SWI_LIKELY(swi_counted_is(sw, 0)))
        begin_on(&sw->first, action);
    else if (!is_left_out(sw, action))
        begin_later(sw, action);
}

SWI_HOT_LINES SWI_NOINLINE void sw_next(struct sw_profiler *sw, int action)
{
    if (!sw)
        return;
    if (SWI_LIKELY(swi_counted_is(sw, 0)))
        next_on(&sw->first, action);
    else
        next_later(sw, action);
}

SWI_HOT_LINES SWI_NOINLINE void sw_end(struct sw_profiler *sw, int action)
{
    if (!sw)
        return;
    if (SWI_LIKELY(swi_counted_is(sw, 0)))
        end_on(&sw->first, action);
    else if (!is_left_out(sw, action))
        end_later(sw, action);
}

SWI_HOT_LINES SWI_NOINLINE void sw_end_batch(struct sw_profiler *sw, int64_t samples)
{
    if (!sw)
        return;
    samples = samples > 0 ? samples : 0; /* sinks know a cancelled batch by a negative number */
    if (SWI_LIKELY(swi_counted_is(sw, 0)))
        end_batch_on(&sw->first, samples);
    else
        end_batch_later(sw, samples);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

/* The timed call uses this name, so that no preloaded library comes between. */
static __typeof__(sw_cancel) cancel_call __attribute__((alias("sw_cancel")));

SWI_NOINLINE void sw_cancel(struct sw_profiler *sw, int action)
{
    struct swi_thread *thread = sw && !swi_busy_refuses(action) ? swi_thread_get(sw) : NULL;
    if (thread && swi_is_timed(thread))
        SWI_TIMED(sw, thread, 0, cancel_call(sw, action), false);
    else if (thread && !swi_is_ignored_slow(sw, action))
        swi_note_cancel(sw, thread, action);
}
