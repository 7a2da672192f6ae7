/* SPDX-License-Identifier: MIT */
/* The hot path: begin, next, end. Each reads the clock once and does a few additions in the calling
 * thread's own memory. begin reads the clock last and end reads it first, so that only the user's
 * time is measured. The usual case calls no function; every other case jumps to a separate one, so
 * that no register is saved in vain. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/begin_slow.h"
#include "core/loop/busy.h"
#include "core/loop/end_slow.h"
#include "core/loop/ignored_actions.h"
#include "core/loop/recent_profilers.h"
#include "core/loop/region_counted.h"
#include "core/loop/region_fast.h"
#include "core/loop/region_traced.h"
#include "core/loop/sampling.h"

static SWI_INLINE int64_t now_of(const struct sw_profiler *sw, bool counted)
{
    return counted ? swi_counter() : swi_clock_tick(&sw->measured.clock);
}

static SWI_INLINE void end_now(struct sw_profiler *sw, struct swi_thread *thread, int action,
                               bool counted)
{
    if (SWI_UNLIKELY(!swi_is_plain(thread, action))) {
        if (!swi_is_ignored(sw, action))
            swi_end_at(sw, thread, action, now_of(sw, counted));
        return;
    }
    int64_t now = now_of(sw, counted), ticks = now - thread->frame->start;
    if (SWI_LIKELY(swi_ends_fast(thread, ticks)))
        swi_region_move(thread, ticks, true, NULL, NULL);
    else
        swi_end_at(sw, thread, action, now);
}

static SWI_INLINE void next_now(struct sw_profiler *sw, struct swi_thread *thread, int action,
                                bool counted)
{
    if (SWI_UNLIKELY(!swi_is_plain(thread, thread->frame->action))) {
        swi_next_not_plain(sw, thread, action);
        return;
    }
    int64_t now = now_of(sw, counted), ticks = now - thread->frame->start;
    if (SWI_UNLIKELY(!swi_ends_fast(thread, ticks))) {
        swi_next_at(sw, thread, action, now);
        return;
    }
    swi_region_move(thread, ticks, true, NULL, NULL);
    struct swi_row *row = swi_fast_row(thread, action);
    if (SWI_UNLIKELY(!row)) {
        swi_begin_without_entry_at(sw, thread, action, now);
        return;
    }
    swi_frame_begin(thread, swi_frame_fill_fast(thread, row, action), row, now);
}

/* Timed calls use these names, so that no preloaded library comes between. */
static __typeof__(sw_begin) begin_call __attribute__((alias("sw_begin")));
static __typeof__(sw_next) next_call __attribute__((alias("sw_next")));
static __typeof__(sw_end) end_call __attribute__((alias("sw_end")));
static __typeof__(sw_end_batch) end_batch_call __attribute__((alias("sw_end_batch")));

/* Returns whether the call began a region of an action with its own row. */
static bool has_begun(const struct swi_thread *thread, const struct swi_timed_call *call,
                      int action)
{
    int depth = swi_depth(thread);
    bool next = depth && depth == call->depth && thread->frame->action == action;
    return !swi_is_container(action) && (depth > call->depth || next);
}

static SWI_APART void begin_timed(struct sw_profiler *sw, struct swi_thread *thread,
                                  int64_t entered, int action)
{
    SWI_TIMED(sw, thread, entered, begin_call(sw, action), has_begun(thread, &call, action));
}

static SWI_APART void next_timed(struct sw_profiler *sw, struct swi_thread *thread, int64_t entered,
                                 int action)
{
    SWI_TIMED(sw, thread, entered, next_call(sw, action), has_begun(thread, &call, action));
}

static SWI_APART void end_timed(struct sw_profiler *sw, struct swi_thread *thread, int64_t entered,
                                int action)
{
    SWI_TIMED(sw, thread, entered, end_call(sw, action), false);
}

static SWI_APART void end_batch_timed(struct sw_profiler *sw, struct swi_thread *thread,
                                      int64_t samples)
{
    SWI_TIMED(sw, thread, 0, end_batch_call(sw, samples), false);
}

/* Returns whether there is nothing to do. Such a call is not timed, because timing it would take
 * longer than the call. */
static inline bool is_nothing(const struct sw_profiler *sw, int action)
{
    return swi_is_ignored(sw, action) && swi_thread_is_known(sw);
}

/* Returns the state of the calling thread if it counts and this call is not timed; else NULL. */
static SWI_INLINE struct swi_thread *counting_thread(const struct sw_profiler *sw)
{
    struct swi_thread *thread = swi_thread_is_known(sw) ? swi_thread_known(sw) : NULL;
    return thread && SWI_GET(thread->counting) && !swi_is_timed(thread) ? thread : NULL;
}

/* X_apart: the first call after calls on another profiler. X_looked: the clock has changed, the
 * call is the first of its thread or after a pause, or it is timed. */
static SWI_APART void begin_looked(struct sw_profiler *sw, int action)
{
    struct swi_thread *counting = counting_thread(sw);
    if (counting) {
        swi_begin_counting(sw, counting, action);
        return;
    }
    int64_t entered;
    struct swi_thread *thread = swi_thread_entered(sw, &entered);
    if (thread && swi_is_timed(thread))
        begin_timed(sw, thread, entered, action);
    else if (thread && SWI_GET(thread->counting))
        swi_begin_counting(sw, thread, action);
    else if (thread)
        swi_begin_at(sw, thread, action, 0);
}

static SWI_APART void begin_apart(struct sw_profiler *sw, int action)
{
    if (swi_current_recall_counted(sw))
        begin_call(sw, action);
    else
        begin_looked(sw, action);
}

static SWI_APART void next_looked(struct sw_profiler *sw, int action)
{
    struct swi_thread *counting = counting_thread(sw);
    if (counting) {
        swi_next_counting(sw, counting, action);
        return;
    }
    int64_t entered;
    struct swi_thread *thread = swi_thread_entered(sw, &entered);
    if (thread && swi_is_timed(thread))
        next_timed(sw, thread, entered, action);
    else if (thread && SWI_GET(thread->counting))
        swi_next_counting(sw, thread, action);
    else if (thread)
        next_now(sw, thread, action, false);
}

static SWI_APART void next_apart(struct sw_profiler *sw, int action)
{
    if (swi_current_recall_counted(sw))
        next_call(sw, action);
    else
        next_looked(sw, action);
}

static SWI_APART void end_looked(struct sw_profiler *sw, int action)
{
    struct swi_thread *counting = counting_thread(sw);
    if (counting) {
        swi_end_counting(sw, counting, action);
        return;
    }
    int64_t entered;
    struct swi_thread *thread = swi_thread_entered(sw, &entered);
    if (thread && swi_is_timed(thread))
        end_timed(sw, thread, entered, action);
    else if (thread && SWI_GET(thread->counting))
        swi_end_counting(sw, thread, action);
    else if (thread)
        end_now(sw, thread, action, false);
}

static SWI_APART void end_apart(struct sw_profiler *sw, int action)
{
    if (swi_current_recall_counted(sw))
        end_call(sw, action);
    else
        end_looked(sw, action);
}

/* The thread has words of memory to read, or has to look closer. */
static SWI_INLINE void begin_other(struct sw_profiler *sw, int action)
{
    if (is_nothing(sw, action) || swi_busy_refuses(action))
        return;
    if (swi_thread_words(sw))
        swi_begin_words(sw, action, swi_thread_known(sw));
    else
        begin_apart(sw, action);
}

static SWI_INLINE void next_other(struct sw_profiler *sw, int action)
{
    if ((is_nothing(sw, action) && !swi_has_sibling(swi_current.thread)) ||
        swi_busy_refuses(action))
        return;
    if (swi_thread_words(sw))
        swi_next_words(sw, action, swi_thread_known(sw));
    else
        next_apart(sw, action);
}

static SWI_INLINE void end_other(struct sw_profiler *sw, int action)
{
    if (is_nothing(sw, action) || swi_busy_refuses(action))
        return;
    if (swi_thread_words(sw))
        swi_end_words(sw, action, swi_thread_known(sw));
    else
        end_apart(sw, action);
}

SWI_HOT_FIRST SWI_APART void sw_begin(struct sw_profiler *sw, int action)
{
    if (!sw)
        return;
    swi_thread_fetch(sw);
    if (SWI_UNLIKELY(!swi_thread_counted(sw))) {
        begin_other(sw, action);
        return;
    }
    struct swi_thread *thread = swi_thread_known(sw);
    if (!swi_can_be_fast(thread, action)) {
        swi_begin_slow(sw, thread, action, 0);
        return;
    }
    struct swi_row *row = *swi_fast_entry(thread->fast, action);
    if (SWI_UNLIKELY(!row)) {
        if (!swi_is_ignored(sw, action))
            swi_begin_without_entry(sw, thread, action);
        return;
    }
    struct swi_frame *frame = swi_frame_fill_fast(thread, row, action);
    swi_frame_begin(thread, frame, row, swi_counter());
}

SWI_HOT_LINES SWI_APART void sw_next(struct sw_profiler *sw, int action)
{
    if (!sw)
        return;
    swi_thread_fetch(sw);
    if (SWI_LIKELY(swi_thread_counted(sw)))
        next_now(sw, swi_thread_known(sw), action, true);
    else
        next_other(sw, action);
}

SWI_HOT_LINES SWI_APART void sw_end(struct sw_profiler *sw, int action)
{
    if (!sw)
        return;
    swi_thread_fetch(sw);
    if (SWI_LIKELY(swi_thread_counted(sw)))
        end_now(sw, swi_thread_known(sw), action, true);
    else
        end_other(sw, action);
}

SWI_HOT_LINES SWI_APART void sw_end_batch(struct sw_profiler *sw, int64_t samples)
{
    if (!sw || swi_busy_refuses(SW_BATCH))
        return;
    swi_thread_fetch(sw);
    struct swi_thread *thread = swi_thread_get(sw);
    samples = samples > 0 ? samples : 0; /* sinks know a cancelled batch by a negative number */
    if (thread && swi_is_timed(thread))
        end_batch_timed(sw, thread, samples);
    else if (thread)
        swi_end_slow(sw, thread, SW_BATCH, samples, swi_clock_tick(&sw->measured.clock));
}
