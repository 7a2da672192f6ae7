/* SPDX-License-Identifier: MIT */
/* The end of a step: its regions get their rates, go into the rows and into the rolling window. */
#include "core/loop/step.h"
#include "core/loop/ended_regions.h"
#include "core/loop/sampling.h"
#include "core/loop/step_calls.h"
#include "core/loop/step_fetch.h"
#include "core/loop/step_regions.h"
#include "core/loop/postpone_step.h"
#include "core/loop/tracing.h"
#include "core/process/own_floats.h"
#include "core/report/snapshot.h"
#include "core/rows/action.h"
#include "core/rows/shaped_actions.h"

/* ---- what a step adds to rows ---------------------------------------------------------------- */

/* A call, its rate, or both. */
struct addition {
    struct swi_row *row; /* NULL: nothing is added */
    int64_t ticks;       /* of the call; NO_CALL: none */
    int64_t self;
    double rate;
    bool rated; /* it has a rate */
};
#define NO_CALL INT64_C(-1)

/* Several calls of one action share the samples of the step: they are micro-batches of one
 * optimizer step. */
static SWI_INLINE double share_of(const struct swi_step *step, const struct swi_row *row,
                                  double rate)
{
    return SWI_LIKELY(!step->repeated) ? rate : rate / (double)row->lead->step_calls;
}

/* Before the batch, only its last draw has a rate. */
static SWI_INLINE struct addition addition_of(struct sw_profiler *sw, const struct swi_step *step,
                                              uint32_t i)
{
    struct swi_row *row = SWI_GET(step->ended[i].row);
    struct addition add = {row, swi_step_ticks(step, i), SWI_GET(step->ended[i].self), 0, false};
    if (SWI_UNLIKELY(step->leave_out) && swi_step_leaves_out(step, i)) {
        swi_dropped_add(sw, add.self);
        add.row = NULL;
    } else if (SWI_LIKELY(i >= step->first)) {
        add.rate = share_of(step, row, swi_rate(step->samples, add.ticks));
        add.rated = add.rate > 0 && row->action != SW_ZERO_GRAD;
    } else if (i == step->last_draw) {
        add.rate = swi_draw_rate(step->samples, step->draw, step->batch);
        add.rated = step->samples > 0 && step->batch > 0;
    }
    return add;
}

/* The step itself has a row, and its rate is also that of train or valid as a whole. */
static SWI_INLINE struct addition addition_of_step(const struct swi_step *step, struct swi_row *row,
                                                   bool whole)
{
    int64_t ticks = step->draw + step->batch;
    double r = swi_rate(step->samples, ticks);
    return (struct addition){whole || !step->leave_out ? row : NULL, whole ? NO_CALL : ticks, 0, r,
                             r > 0};
}

/* As swi_ended_add(), in fewer cache lines. */
static SWI_INLINE void addition_call(const struct addition *add)
{
    if (SWI_LIKELY(add->self != SWI_COUNTED))
        swi_row_sum(add->row, add->ticks, add->self);
    swi_row_bin_recent(add->row, add->ticks);
}

/* Adds the regions of a step to their rows, then the step to its own row, and its rate to the row
 * of train or valid as a whole. It is one loop because a call with cold caches waits for each cache
 * line of code. */
static SWI_INLINE void rows_add(struct sw_profiler *sw, const struct swi_step *step,
                                struct swi_row *own, struct swi_row *whole)
{
    for (uint32_t i = 0; i < step->count + 2; i++) {
        struct addition add = SWI_LIKELY(i < step->count) ? addition_of(sw, step, i)
                              : i == step->count          ? addition_of_step(step, own, false)
                                                          : addition_of_step(step, whole, true);
        if (SWI_LIKELY(add.row != NULL && add.ticks != NO_CALL))
            addition_call(&add);
        if (SWI_LIKELY(add.row != NULL && add.rated))
            swi_row_add_rate(add.row, add.rate);
    }
}

/* Returns whether an action may have run more than once in the batch. Each action has a bit, which
 * two may share. */
static bool calls_look(const struct swi_step *step)
{
    uint64_t seen = 0, again = 0;
    for (uint32_t i = step->first; i < step->count; i++) {
        uint64_t bit = UINT64_C(1) << (swi_action_base(swi_step_action(step, i)) & 63);
        again |= seen & bit;
        seen |= bit;
    }
    return again != 0;
}

/* The same for a training step, which goes into the window. */
static SWI_INLINE bool window_add(struct swi_rolling_window *window, const struct swi_step *step)
{
    bool again = false;
    for (uint32_t i = step->first; i < step->count; i++)
        again |= swi_rolling_window_add(window, swi_step_action(step, i), swi_step_ticks(step, i));
    return again;
}

/* The window contains only outermost calls, because the others lie within them. */
static SWI_APART void window_repeated(struct swi_rolling_window *window,
                                      const struct swi_ended *ended, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct swi_row *row = SWI_GET(ended[i].row);
        int64_t ticks = SWI_GET(ended[i].ticks);
        if (row->is_inner)
            swi_rolling_window_take_back(window, row->action, ticks > 0 ? ticks : 0);
    }
}

/* Returns whether the step_calls of a row must be checked. */
static SWI_INLINE bool calls_take(struct sw_profiler *sw, const struct swi_thread *thread,
                                  const struct swi_step *step)
{
    bool train = step->phase == SW_PHASE_TRAIN;
    bool again = train ? window_add(&sw->loop.window, step) : calls_look(step);
    if (SWI_LIKELY(!again && !thread->batch_folded))
        return false;
    swi_step_calls_count(step->ended + step->first, step->count - step->first,
                         thread->batch_folded);
    if (train)
        window_repeated(&sw->loop.window, step->ended + step->first, step->count - step->first);
    return true;
}

/* Returns whether the window is full. */
static inline bool window_end(struct swi_rolling_window *window, const struct swi_step *step)
{
    swi_rolling_window_add(window, SW_STEP, step->draw + step->batch);
    swi_rolling_window_add(window, SW_DRAW, step->draw);
    /* Limits values so that the sum over a window stays finite. */
    const int64_t most = INT64_C(1) << 40;
    int64_t samples = step->samples > 0 ? step->samples : 0;
    return swi_rolling_window_push(window, samples < most ? samples : most);
}

/* A window is logged after training batch k when k - drop is a positive multiple of its length. */
static void train_step_ended(struct sw_profiler *sw, const struct swi_step *step, bool full)
{
    struct swi_rolling_window *window = &sw->loop.window;
    bool due = full && swi_rolling_window_has_begun(window);
    if (due || sw->loop.values.count)
        swi_emit_metrics(&sw->records, &sw->loop.values, due ? window : NULL,
                         due ? &sw->loop.window_counts : NULL, step->number, step->end);
    if (full)
        swi_rolling_window_next(window);
    SWI_SET(sw->measured.progress.step, step->number + 1);
}

static void elapsed_add(struct swi_thread *thread, const struct swi_step *step)
{
    swi_elapsed_step(&thread->elapsed, step->phase, step->samples);
    if (SWI_UNLIKELY(SWI_GET(thread->elapsed.running) == SW_PHASE_FIT))
        swi_elapsed_bare(&thread->elapsed, step->draw + step->batch, step->end);
}

/* Passes the step to the findings while a sink wants them. */
static SWI_APART void newest_add(struct sw_profiler *sw, const struct swi_step *step)
{
    struct swi_newest_steps *newest = SWI_GET(sw->measured.newest);
    if (step->phase != SW_PHASE_TRAIN) {
        swi_newest_steps_other(newest, false, step->end);
        return;
    }
    const struct swi_told_step told = {
        .number = step->number, .samples = step->samples, .draw = step->draw, .batch = step->batch};
    swi_newest_steps_add(newest, &told, step->ended + step->first, step->count - step->first,
                         step->end);
}

/* Adds a step to its rows, to the findings and to the window. In the middle of a change. Returns
 * whether the window is full. */
static SWI_INLINE bool step_add(struct sw_profiler *sw, const struct swi_step *step,
                                struct swi_row *own, struct swi_row *whole)
{
    rows_add(sw, step, own, whole);
    if (SWI_UNLIKELY(SWI_GET(sw->measured.newest) != NULL))
        newest_add(sw, step);
    return step->phase == SW_PHASE_TRAIN && window_end(&sw->loop.window, step);
}

/* None of the steps that wait fills the window. */
static SWI_APART void waiting_add(struct sw_profiler *sw, struct swi_thread *thread)
{
    SWI_OWN_FLOATS;
    struct swi_waiting_steps *waiting = thread->waiting;
    struct swi_step step = swi_waiting_step_at(waiting, 0, 0);
    swi_step_fetch(sw, thread, &step);
    swi_thread_change(thread);
    for (uint32_t i = 0, at = 0; i < SWI_GET(waiting->steps); i++, at += step.count) {
        step = swi_waiting_step_at(waiting, i, at);
        bool training = step.phase == SW_PHASE_TRAIN;
        step.repeated = calls_take(sw, thread, &step);
        step_add(sw, &step, SWI_GET(waiting->rows[!training].own),
                 SWI_GET(waiting->rows[!training].whole));
    }
    swi_waiting_clear(waiting);
    swi_thread_changed(thread);
}

void swi_waiting_add(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (SWI_UNLIKELY(SWI_GET(thread->waiting->steps) != 0))
        waiting_add(sw, thread);
}

/* After everything else at the end of a step. full: the window is. */
static SWI_INLINE void step_ended(struct sw_profiler *sw, struct swi_thread *thread,
                                  const struct swi_step *step, bool full)
{
    sw->loop.batches[step->phase]++;
    if (step->phase == SW_PHASE_TRAIN)
        train_step_ended(sw, step, full);
    else if (sw->loop.values.count)
        swi_emit_metrics(&sw->records, &sw->loop.values, NULL, NULL, swi_step_last(sw), step->end);
    swi_snapshot_serve(thread);
    /* Until its open() has run, a sink counts as wanting everything in its descriptor. */
    if (SWI_UNLIKELY(thread->tracing) && !swi_wants(&sw->records, SW_RECORD_REGIONS))
        swi_trace_set(sw, thread, false);
    swi_sampling_window_ended(thread, step->phase, false);
}

static SWI_INLINE void step_emit(struct sw_profiler *sw, struct swi_thread *thread,
                                 const struct swi_step *step)
{
    if (SWI_UNLIKELY(swi_wants(&sw->records, SW_RECORD_STEP)))
        swi_emit_step(&sw->records, thread, step->first, step->samples, step->draw + step->batch,
                      step->end);
}

/* The end of a step that waits. It is apart so that the code of few cache lines and pages is
 * needed: such a call finds cold caches. */
static SWI_APART void step_wait(struct sw_profiler *sw, struct swi_thread *thread,
                                const struct swi_step *step)
{
    step_emit(sw, thread, step);
    swi_thread_change(thread);
    elapsed_add(thread, step);
    swi_step_postpone(thread->waiting, step);
    swi_ended_clear(thread);
    swi_thread_changed(thread);
    step_ended(sw, thread, step, false);
}

/* Adds a step to its rows at once. Returns whether the window is full. */
static SWI_INLINE bool step_add_now(struct sw_profiler *sw, struct swi_thread *thread,
                                    struct swi_step *step)
{
    bool training = step->phase == SW_PHASE_TRAIN;
    step->repeated = calls_take(sw, thread, step);
    struct swi_row *own = swi_thread_row(thread, step->phase, SW_STEP);
    struct swi_row *whole = swi_thread_row(thread, SW_PHASE_FIT, training ? SW_TRAIN : SW_VALID);
    swi_thread_change(thread);
    elapsed_add(thread, step);
    if (SWI_UNLIKELY(thread->apart))
        swi_step_slow(sw, thread, swi_step_parts_of(step), own, step->end);
    bool full = step_add(sw, step, own, whole);
    atomic_store_explicit(&thread->waiting->rows[!training].own, whole ? own : NULL,
                          memory_order_release);
    atomic_store_explicit(&thread->waiting->rows[!training].whole, whole, memory_order_release);
    swi_ended_clear(thread);
    swi_thread_changed(thread);
    return full;
}

SWI_HOT void swi_step_end(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                          int64_t samples, int64_t now)
{
    SWI_OWN_FLOATS;
    struct swi_step step = swi_step_of(sw, thread, first, samples, now);
    step.batch = swi_step_ticks(&step, step.count - 1);
    bool cold = swi_step_is_cold(sw, &step);
    if (cold && swi_step_can_be_postponed(sw, thread, &step)) {
        step_wait(sw, thread, &step);
        return;
    }
    swi_waiting_add(sw, thread);
    if (cold)
        swi_step_fetch(sw, thread, &step);
    step_emit(sw, thread, &step);
    bool full = step_add_now(sw, thread, &step);
    step_ended(sw, thread, &step, full);
}

void swi_step_cancel(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first, int64_t now)
{
    SWI_OWN_FLOATS;
    struct swi_step step = swi_step_of(sw, thread, first, -1, now);
    swi_waiting_add(sw, thread);
    if (swi_wants(&sw->records, SW_RECORD_STEP))
        swi_emit_step(&sw->records, thread, first, -1, 0, now);
    swi_thread_change(thread);
    if (SWI_GET(thread->counting))
        swi_step_counts(thread, swi_step_parts_of(&step), 0);
    for (uint32_t i = 0; i < step.count; i++)
        swi_step_region_add(sw, &step, i);
    if (SWI_GET(sw->measured.newest))
        swi_newest_steps_other(SWI_GET(sw->measured.newest), true, now);
    swi_ended_clear(thread);
    swi_thread_changed(thread);
    sw->loop.batches[step.phase]++;
    sw->loop.not_of_epoch[step.phase]++;
    swi_snapshot_serve(thread);
    swi_sampling_window_ended(thread, step.phase, false);
}

bool swi_is_drawing(const struct swi_thread *thread)
{
    for (int i = 0; i < swi_depth(thread); i++)
        if (thread->frame[-i].action == SW_DRAW)
            return true;
    return false;
}

static void restart(struct swi_loop *loop, enum sw_phase phase)
{
    loop->not_of_epoch[phase] = loop->batches[phase];
}

void swi_steps_restart(struct sw_profiler *sw, int action)
{
    if (action == SW_EPOCH || action == SW_TRAIN)
        restart(&sw->loop, SW_PHASE_TRAIN);
    if (action == SW_EPOCH || action == SW_VALID)
        restart(&sw->loop, SW_PHASE_VALID);
}

int64_t swi_steps_of_epoch(const struct sw_profiler *sw, enum sw_phase phase)
{
    return sw->loop.batches[phase] - sw->loop.not_of_epoch[phase];
}
