/* SPDX-License-Identifier: MIT */
/* The end of a step: its regions get their rates, go into the rows and into the rolling window. */
#include "core/loop/step.h"
#include "core/loop/clock_gap.h"
#include "core/loop/sampling.h"
#include "core/loop/step_apart.h"
#include "core/loop/tracing.h"
#include "core/report/snapshot.h"
#include "core/rows/action.h"

/* A step that is being evaluated. Its regions are ended[0 .. count): before `first`, its draws and
 * what ran between two steps; from `first`, what ran in the batch; last, the batch itself. */
struct step {
    struct swi_ended *ended;
    uint32_t first;
    uint32_t count;
    enum sw_phase phase;
    int64_t samples;
    int64_t draw;
    int64_t batch;
    uint32_t last_draw; /* UINT32_MAX: none */
    bool leave_out;     /* drop_first_batch, and it is the phase's first */
    bool repeated; /* an action may have run more than once: its row's step_calls says how often */
};

static int action_at(const struct step *step, uint32_t i)
{
    return SWI_GET(step->ended[i].row)->action;
}

static int64_t ticks_at(const struct step *step, uint32_t i)
{
    int64_t ticks = SWI_GET(step->ended[i].ticks);
    return ticks > 0 ? ticks : 0;
}

static void dropped_add(struct sw_profiler *sw, int64_t self)
{
    SWI_SET(sw->measured.progress.dropped_ticks,
            SWI_GET(sw->measured.progress.dropped_ticks) + self);
}

/* drop_first_batch leaves out the first batch of a phase and its draws. */
static bool left_out(const struct step *step, uint32_t i)
{
    return SWI_UNLIKELY(step->leave_out) && (i >= step->first || action_at(step, i) == SW_DRAW);
}

/* Adds region i to its row, or to what is left out. */
static SWI_APART void region_add(struct sw_profiler *sw, const struct step *step, uint32_t i)
{
    int64_t self = SWI_GET(step->ended[i].self);
    if (left_out(step, i))
        dropped_add(sw, self);
    else
        swi_ended_add(SWI_GET(step->ended[i].row), ticks_at(step, i), self);
}

/* ---- what a step adds to rows -------------------------------------------------------------------
 */

/* A call, its rate, or both. */
struct addition {
    struct swi_row *row; /* NULL: nothing is added */
    int64_t ticks;       /* of the call; NO_CALL: none */
    int64_t self;
    double rate;
    bool rated; /* it has a rate */
};
#define NO_CALL INT64_C(-1)

/* Returns samples per tick; 0 if the rate is unknown. */
static inline double rate(int64_t samples, int64_t ticks)
{
    return SWI_LIKELY(samples > 0 && ticks > 0) ? (double)samples / (double)ticks : 0;
}

/* The cost of drawing: the rate of the step less that of the batch. */
static inline void draw_rate(const struct step *step, struct addition *add)
{
    double of_batch = rate(step->samples, step->batch);
    add->rate = rate(step->samples, step->draw + step->batch) - of_batch;
    add->rated = of_batch > 0;
}

/* Several calls of one action share the samples of the step: they are micro-batches of one
 * optimizer step. */
static SWI_INLINE double share_of(const struct step *step, const struct swi_row *row, double rate)
{
    return SWI_LIKELY(!step->repeated) ? rate : rate / (double)row->lead->step_calls;
}

/* Before the batch, only its last draw has a rate. */
static SWI_INLINE struct addition addition_of(struct sw_profiler *sw, const struct step *step,
                                              uint32_t i)
{
    struct swi_row *row = SWI_GET(step->ended[i].row);
    struct addition add = {row, ticks_at(step, i), SWI_GET(step->ended[i].self), 0, false};
    if (SWI_UNLIKELY(step->leave_out) && left_out(step, i)) {
        dropped_add(sw, add.self);
        add.row = NULL;
    } else if (SWI_LIKELY(i >= step->first)) {
        add.rate = share_of(step, row, rate(step->samples, add.ticks));
        add.rated = add.rate > 0 && row->action != SW_ZERO_GRAD;
    } else if (i == step->last_draw) {
        draw_rate(step, &add);
    }
    return add;
}

/* The step itself has a row, and its rate is also that of train or valid as a whole. */
static SWI_INLINE struct addition addition_of_step(const struct step *step, struct swi_row *row,
                                                   bool whole)
{
    int64_t ticks = step->draw + step->batch;
    double r = rate(step->samples, ticks);
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
static SWI_INLINE void rows_add(struct sw_profiler *sw, const struct step *step,
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
static bool calls_look(const struct step *step)
{
    uint64_t seen = 0, again = 0;
    for (uint32_t i = step->first; i < step->count; i++) {
        uint64_t bit = UINT64_C(1) << (action_at(step, i) & 63);
        again |= seen & bit;
        seen |= bit;
    }
    return again != 0;
}

/* The same for a training step, which goes into the window. */
static SWI_INLINE bool window_add(struct swi_window *window, const struct step *step)
{
    bool again = false;
    for (uint32_t i = step->first; i < step->count; i++)
        again |= swi_window_add(window, action_at(step, i), ticks_at(step, i));
    return again;
}

/* Counts how often each row was called in the regions of a batch, in addition to `folded`, which
 * were counted earlier. (Does not take struct step, because the hot path keeps it in registers.) */
static SWI_APART void calls_count(const struct swi_ended *ended, uint32_t count, bool folded)
{
    for (uint32_t i = 0; !folded && i < count; i++)
        SWI_GET(ended[i].row)->lead->step_calls = 0;
    for (uint32_t i = 0; i < count; i++)
        SWI_GET(ended[i].row)->lead->step_calls++;
}

/* The window contains only outermost calls, because the others lie within them. */
static SWI_APART void window_repeated(struct swi_window *window, const struct swi_ended *ended,
                                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct swi_row *row = SWI_GET(ended[i].row);
        int64_t ticks = SWI_GET(ended[i].ticks);
        if (row->is_inner)
            swi_window_take_back(window, row->action, ticks > 0 ? ticks : 0);
    }
}

/* Returns whether the step_calls of a row must be checked. */
static bool calls_take(struct sw_profiler *sw, const struct swi_thread *thread,
                       const struct step *step)
{
    bool train = step->phase == SW_PHASE_TRAIN;
    bool again = train ? window_add(&sw->loop.window, step) : calls_look(step);
    if (SWI_LIKELY(!again && !thread->batch_folded))
        return false;
    calls_count(step->ended + step->first, step->count - step->first, thread->batch_folded);
    if (train)
        window_repeated(&sw->loop.window, step->ended + step->first, step->count - step->first);
    return true;
}

/* Returns whether the window is full. */
static inline bool window_end(struct swi_window *window, const struct step *step)
{
    swi_window_add(window, SW_STEP, step->draw + step->batch);
    swi_window_add(window, SW_DRAW, step->draw);
    /* Limits values so that the sum over a window stays finite. */
    const int64_t most = INT64_C(1) << 40;
    int64_t samples = step->samples > 0 ? step->samples : 0;
    return swi_window_push(window, samples < most ? samples : most);
}

static SWI_INLINE struct step step_of(const struct sw_profiler *sw, struct swi_thread *thread,
                                      uint32_t first, int64_t samples)
{
    struct step step = {.ended = SWI_GET(thread->ended),
                        .first = first,
                        .count = swi_ended_count(thread),
                        .phase = thread->phase,
                        .samples = samples,
                        .last_draw = UINT32_MAX};
    for (uint32_t i = 0; i < first; i++)
        if (action_at(&step, i) == SW_DRAW) {
            step.draw += ticks_at(&step, i);
            step.last_draw = i;
        }
    step.leave_out = sw->measured.chosen.drop && sw->loop.batches[step.phase] == 0;
    return step;
}

static inline struct swi_step_parts step_parts(const struct step *step)
{
    return (struct swi_step_parts){step->first, step->count, step->samples, step->leave_out};
}

SWI_HOT static void ended_clear(struct swi_thread *thread)
{
    swi_ended_count_set(thread, 0);
    SWI_SET(thread->batch_first, -1);
    thread->at_once = true;
    thread->fold_at = SWI_GET(thread->ended) + SWI_FOLD;
}

/* A window is logged after training batch k when k - drop is a positive multiple of its length. */
static void train_step_ended(struct sw_profiler *sw, const struct step *step, int64_t now)
{
    struct swi_window *window = &sw->loop.window;
    bool full = window_end(window, step), due = full && swi_window_has_begun(window);
    int64_t number = SWI_GET(sw->measured.progress.step);
    if (due || sw->loop.values.count)
        swi_emit_metrics(&sw->records, &sw->loop.values, due ? window : NULL,
                         due ? &sw->loop.window_counts : NULL, number, now);
    if (full)
        swi_window_next(window);
    SWI_SET(sw->measured.progress.step, number + 1);
}

static void elapsed_add(struct swi_thread *thread, const struct step *step, int64_t now)
{
    swi_elapsed_step(&thread->elapsed, step->phase, step->samples);
    if (SWI_UNLIKELY(SWI_GET(thread->elapsed.running) == SW_PHASE_FIT))
        swi_elapsed_bare(&thread->elapsed, step->draw + step->batch, now);
}

static SWI_INLINE void row_fetch(const struct swi_row *row)
{
    if (SWI_UNLIKELY(!row))
        return;
    __builtin_prefetch(row, 1);
    __builtin_prefetch(&row->rates, 1);
}

static SWI_INLINE void bins_fetch(const struct swi_row *row, int64_t ticks, int64_t samples)
{
    if (SWI_UNLIKELY(!row))
        return;
    __builtin_prefetch(SWI_GET(row->rates), 1);
    swi_recent_fetch(&row->recent, swi_bin((double)ticks));
    swi_recent_fetch(&row->recent_of_rates, swi_bin((double)samples / (double)ticks));
}

static SWI_INLINE void window_fetch(const struct swi_window *window)
{
    const size_t most = 16;
    __builtin_prefetch(window->index);
    for (size_t i = 0; i < window->count && i < most; i++)
        __builtin_prefetch(&window->column[i], 1);
}

/* Prefetches at once what the end of a step needs. Otherwise each region would wait for its own. */
SWI_HOT static SWI_APART void memory_fetch(const struct sw_profiler *sw,
                                           const struct swi_thread *thread, const struct step *step)
{
    const uint32_t most = 64; /* a processor can wait for about this many cache lines at once */
    uint32_t count = step->count < most ? step->count : most;
    bool train = step->phase == SW_PHASE_TRAIN;
    const struct swi_row *own = thread->entry[SW_STEP].known[step->phase];
    const struct swi_row *whole = thread->entry[train ? SW_TRAIN : SW_VALID].known[SW_PHASE_FIT];
    row_fetch(own);
    row_fetch(whole);
    for (uint32_t i = 0; i < count; i++)
        row_fetch(SWI_GET(step->ended[i].row));
    if (train)
        window_fetch(&sw->loop.window);
    bins_fetch(own, step->draw + step->batch, step->samples);
    bins_fetch(whole, step->draw + step->batch, step->samples);
    for (uint32_t i = 0; i < count; i++)
        bins_fetch(SWI_GET(step->ended[i].row), SWI_GET(step->ended[i].ticks), step->samples);
}

/* Returns whether a step was so long that its own work has filled the caches: about 15 us or more.
 */
static inline bool is_cold(const struct sw_profiler *sw, const struct step *step)
{
    return step->batch > SWI_GET(sw->measured.clock.second) >> 16;
}

/* Passes the step to the findings while a sink wants them. */
static SWI_APART void newest_add(struct sw_profiler *sw, const struct step *step, int64_t now)
{
    struct swi_newest_steps *newest = SWI_GET(sw->measured.newest);
    if (step->phase != SW_PHASE_TRAIN) {
        swi_newest_steps_other(newest, false, now);
        return;
    }
    const struct swi_told_step told = {.number = SWI_GET(sw->measured.progress.step),
                                       .samples = step->samples,
                                       .draw = step->draw,
                                       .batch = step->batch};
    swi_newest_steps_add(newest, &told, step->ended + step->first, step->count - step->first, now);
}

SWI_HOT void swi_step_end(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                          int64_t samples, int64_t now)
{
    struct step step = step_of(sw, thread, first, samples);
    step.batch = ticks_at(&step, step.count - 1);
    if (is_cold(sw, &step))
        memory_fetch(sw, thread, &step);
    if (SWI_UNLIKELY(swi_wants(&sw->records, SW_RECORD_STEP)))
        swi_emit_step(&sw->records, thread, first, samples, step.draw + step.batch, now);
    step.repeated = calls_take(sw, thread, &step);
    struct swi_row *row = swi_thread_row(thread, step.phase, SW_STEP);
    struct swi_row *whole =
        swi_thread_row(thread, SW_PHASE_FIT, step.phase == SW_PHASE_TRAIN ? SW_TRAIN : SW_VALID);
    swi_thread_change(thread);
    elapsed_add(thread, &step, now);
    if (SWI_UNLIKELY(thread->apart))
        swi_step_apart(sw, thread, step_parts(&step), row, now);
    rows_add(sw, &step, row, whole);
    if (SWI_UNLIKELY(SWI_GET(sw->measured.newest) != NULL))
        newest_add(sw, &step, now);
    ended_clear(thread);
    swi_thread_changed(thread);
    sw->loop.batches[step.phase]++;
    if (step.phase == SW_PHASE_TRAIN)
        train_step_ended(sw, &step, now);
    else if (sw->loop.values.count)
        swi_emit_metrics(&sw->records, &sw->loop.values, NULL, NULL, swi_step_last(sw), now);
    swi_snapshot_serve(thread);
    /* Until its open() has run, a sink counts as wanting everything in its descriptor. */
    if (SWI_UNLIKELY(thread->tracing) && !swi_wants(&sw->records, SW_RECORD_REGIONS))
        swi_trace_set(sw, thread, false);
    swi_window_ended(thread, step.phase, false);
}

void swi_step_cancel(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first, int64_t now)
{
    struct step step = step_of(sw, thread, first, -1);
    if (swi_wants(&sw->records, SW_RECORD_STEP))
        swi_emit_step(&sw->records, thread, first, -1, 0, now);
    swi_thread_change(thread);
    if (SWI_GET(thread->counting))
        swi_step_counts(thread, step_parts(&step), 0);
    for (uint32_t i = 0; i < step.count; i++)
        region_add(sw, &step, i);
    if (SWI_GET(sw->measured.newest))
        swi_newest_steps_other(SWI_GET(sw->measured.newest), true, now);
    ended_clear(thread);
    swi_thread_changed(thread);
    sw->loop.batches[step.phase]++;
    sw->loop.not_of_epoch[step.phase]++;
    swi_snapshot_serve(thread);
    swi_window_ended(thread, step.phase, false);
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

/* Keeps the regions that ended before `first` and are not draws; discards the rest. */
void swi_step_discard(struct swi_thread *thread, uint32_t first)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    uint32_t kept = 0, count = swi_ended_count(thread);
    swi_thread_change(thread);
    for (uint32_t i = 0; i < count; i++) {
        if (i >= first || SWI_GET(ended[i].row)->action == SW_DRAW) {
            swi_thread_discard(thread, i, i + 1);
            continue;
        }
        SWI_SET(ended[kept].row, SWI_GET(ended[i].row));
        SWI_SET(ended[kept].ticks, SWI_GET(ended[i].ticks));
        SWI_SET(ended[kept].self, SWI_GET(ended[i].self));
        if (SWI_GET(thread->counting))
            swi_counts_shift(SWI_GET(thread->counting), kept, i);
        kept++;
    }
    swi_ended_count_set(thread, kept);
    SWI_SET(thread->batch_first, -1);
    thread->at_once = true;
    swi_thread_changed(thread);
}

void swi_ended_fold(struct swi_thread *thread)
{
    swi_thread_change(thread);
    swi_thread_fold(thread, 0, swi_ended_count(thread));
    ended_clear(thread);
    swi_thread_changed(thread);
    swi_snapshot_serve(thread);
}

/* Draws wait for their batch and come first in its list. The other regions only lack their
 * histograms. */
static void fold_between_steps(struct swi_thread *thread)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    uint32_t kept = 0, count = swi_ended_count(thread);
    bool counts = SWI_GET(thread->counting) != NULL;
    swi_thread_change(thread);
    for (uint32_t i = 0; i < count; i++) {
        struct swi_row *row = SWI_GET(ended[i].row);
        int64_t ticks = SWI_GET(ended[i].ticks), self = SWI_GET(ended[i].self);
        if (SWI_LIKELY(self == SWI_COUNTED)) {
            swi_row_bin(row, ticks);
            continue;
        }
        if (counts)
            swi_step_counts_between(thread, i, kept);
        if (row->action != SW_DRAW) {
            swi_ended_add(row, ticks, self);
            continue;
        }
        SWI_SET(ended[kept].row, row);
        SWI_SET(ended[kept].ticks, ticks);
        SWI_SET(ended[kept].self, self);
        kept++;
    }
    swi_ended_count_set(thread, kept);
    swi_thread_changed(thread);
}

/* The batch has more regions than are kept, so the older ones are folded now, without rates. */
static void fold_within_batch(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint32_t first = (uint32_t)SWI_GET(thread->batch_first);
    struct step step = step_of(sw, thread, first, 0);
    for (struct swi_row *row = SWI_GET(thread->rows); row && !thread->batch_folded; row = row->next)
        row->step_calls = 0;
    thread->batch_folded = true;
    calls_count(step.ended + first, step.count - first, true);
    swi_thread_change(thread);
    if (SWI_GET(thread->counting))
        swi_step_counts(thread, step_parts(&step), first);
    for (uint32_t i = first; i < step.count; i++)
        region_add(sw, &step, i);
    swi_ended_count_set(thread, first);
    swi_thread_changed(thread);
}

void swi_ended_full(struct sw_profiler *sw, struct swi_thread *thread)
{
    bool in_batch = thread->loop && SWI_GET(thread->batch_first) >= 0;
    swi_gaps_look(sw, thread, swi_clock_tick(&sw->measured.clock));
    if (!thread->loop)
        swi_ended_fold(thread);
    else if (!in_batch)
        fold_between_steps(thread);
    uint32_t count = swi_ended_count(thread);
    if (count + SWI_FOLD >= SWI_ENDED_MAX ||
        (count + SWI_FOLD >= thread->ended_capacity && !swi_thread_grow_ended(thread))) {
        if (in_batch)
            fold_within_batch(sw, thread);
        else
            swi_ended_fold(thread);
    }
    thread->fold_at = SWI_GET(thread->next_ended) + SWI_FOLD;
    swi_snapshot_serve(thread);
    swi_window_ended(thread, thread->phase, true);
}
