/* SPDX-License-Identifier: MIT */
/* The end of a step: its regions get their rates, go into the rows and into the rolling window. */
#include "core/loop/step.h"
#include "core/loop/recording_windows.h"
#include "core/loop/stack.h"
#include "core/rows/action.h"

/* A step that is being evaluated. Its regions are ended[from .. count) of its thread: before
 * `first`, its draws and what ended in them; from `first`, what ended in the batch; last, the batch
 * itself. */
struct step {
    const struct swi_ended *ended;
    uint32_t from, first, count;
    enum sw_phase phase;
    int64_t samples;
    int64_t draw;
    int64_t batch;
    int64_t number;     /* of the training step */
    int64_t times;      /* how many steps it stands for; its times and samples are their sums */
    int64_t end;        /* tick */
    uint32_t last_draw; /* UINT32_MAX: none */
    bool leave_out;     /* drop_first_batch, and it is the phase's first */
};

static int action_of(const struct step *step, uint32_t i)
{
    return step->ended[i].row->action;
}

static int64_t ticks_of(const struct step *step, uint32_t i)
{
    return step->ended[i].ticks > 0 ? step->ended[i].ticks : 0;
}

static struct step step_of(const struct sw_profiler *sw, const struct swi_thread *thread,
                           uint32_t first, int64_t samples, int64_t now)
{
    struct step step = {.ended = thread->ended,
                        .from = thread->step_from,
                        .first = first,
                        .count = thread->ended_count,
                        .phase = thread->phase,
                        .samples = samples,
                        .number = SWI_GET(sw->measured.progress.step),
                        .times = sw->loop.step_more + 1,
                        .end = now,
                        .last_draw = UINT32_MAX};
    for (uint32_t i = step.from; i < first; i++)
        if (action_of(&step, i) == SW_DRAW) {
            step.draw = swi_ticks_sum(step.draw, ticks_of(&step, i));
            step.last_draw = i;
        }
    step.leave_out = sw->measured.chosen.drop && sw->loop.batches[step.phase] == 0;
    return step;
}

/* ---- rows ------------------------------------------------------------------------------------ */

__extension__ typedef __int128 wide;

/* Returns the share that some of the steps have in a sum. */
static int64_t share_of(const struct step *step, int64_t sum, int64_t some)
{
    return some == step->times ? sum : (int64_t)((wide)sum * some / step->times);
}

static void ended_add(const struct step *step, struct swi_row *row, int64_t ticks, int64_t self)
{
    if (SWI_LIKELY(step->times == 1))
        swi_row_add(row, ticks, self);
    else
        swi_row_add_calls(row, ticks, self, step->times);
}

static void rate_add(const struct step *step, struct swi_row *row, double rate)
{
    if (SWI_LIKELY(step->times == 1))
        swi_row_add_rate(row, rate);
    else
        swi_row_add_rates(row, rate, step->times);
}

/* Before the batch, only its last draw has a rate. Several calls of one action share the samples of
 * the step: they are micro-batches of one optimizer step. Returns whether the region has one. */
static bool rate_of(const struct step *step, uint32_t i, double *rate)
{
    const struct swi_row *row = step->ended[i].row;
    if (i < step->first) {
        *rate = swi_draw_rate(step->samples, step->draw, step->batch);
        return i == step->last_draw && step->samples > 0 && step->batch > 0;
    }
    *rate = swi_rate(step->samples, ticks_of(step, i)) / (double)row->lead->step_calls;
    return *rate > 0 && row->action != SW_ZERO_GRAD;
}

static void regions_add(struct sw_profiler *sw, const struct step *step)
{
    for (uint32_t i = step->from; i < step->count; i++) {
        struct swi_row *row = step->ended[i].row;
        double rate;
        if (step->leave_out) {
            swi_dropped_add(sw, step->ended[i].self);
            continue;
        }
        ended_add(step, row, ticks_of(step, i), step->ended[i].self);
        if (rate_of(step, i, &rate))
            rate_add(step, row, rate);
    }
}

/* The step itself has a row, and its rate is also that of train or valid as a whole. */
static void step_row_add(const struct step *step, struct swi_row *own, struct swi_row *whole)
{
    int64_t ticks = swi_ticks_sum(step->draw, step->batch);
    double rate = swi_rate(step->samples, ticks);
    if (own && !step->leave_out)
        ended_add(step, own, ticks, 0);
    if (own && !step->leave_out && rate > 0)
        rate_add(step, own, rate);
    if (whole && rate > 0)
        rate_add(step, whole, rate);
}

/* Counts how often each row was called in the regions of a batch, in addition to those that were
 * added earlier. */
static void calls_count(const struct step *step, bool more)
{
    for (uint32_t i = step->first; !more && i < step->count; i++)
        step->ended[i].row->lead->step_calls = 0;
    for (uint32_t i = step->first; i < step->count; i++)
        step->ended[i].row->lead->step_calls++;
}

/* Adds the calls without rates. */
static void calls_add(struct sw_profiler *sw, struct swi_thread *thread, const struct step *step,
                      uint32_t from)
{
    for (uint32_t i = from; i < step->count; i++) {
        if (thread->counting && !step->leave_out)
            swi_counter_use_fold(thread, i, step->times - 1);
        if (step->leave_out)
            swi_dropped_add(sw, step->ended[i].self);
        else
            ended_add(step, step->ended[i].row, ticks_of(step, i), step->ended[i].self);
    }
}

void swi_step_shorten(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint32_t first = (uint32_t)thread->batch_first;
    struct step step = step_of(sw, thread, first, 0, 0);
    for (struct swi_row *row = thread->rows; row && !thread->batch_folded; row = row->next)
        row->step_calls = 0;
    thread->batch_folded = true;
    calls_count(&step, true);
    calls_add(sw, thread, &step, first);
    thread->ended_count = first;
}

/* ---- the rolling window ---------------------------------------------------------------------- */

/* The window contains only outermost calls, because the others lie within them. some: how many of
 * the steps that the step stands for. */
static void window_add(struct swi_rolling_window *window, const struct step *step, int64_t some)
{
    for (uint32_t i = step->first; i < step->count; i++)
        if (!step->ended[i].row->is_inner)
            swi_rolling_window_add(window, action_of(step, i),
                                   share_of(step, ticks_of(step, i), some), some);
    int64_t draw = share_of(step, step->draw, some);
    swi_rolling_window_add(window, SW_STEP, swi_ticks_sum(draw, share_of(step, step->batch, some)),
                           some);
    swi_rolling_window_add(window, SW_DRAW, draw, some);
}

/* Returns whether the window is full. */
static bool window_push(struct swi_rolling_window *window, const struct step *step, int64_t some)
{
    /* Limits values so that the sum over a window stays finite. */
    const int64_t most = INT64_C(1) << 40;
    int64_t samples = share_of(step, step->samples > 0 ? step->samples : 0, some);
    return swi_rolling_window_push(window, samples < most ? samples : most, some);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void counters_window(struct swi_rolling_window *window, const struct swi_thread *thread,
                            const struct step *step, int64_t some)
{
    const struct swi_some_steps share = {some, step->times};
    for (uint32_t i = step->from; i < step->count; i++) {
        const struct swi_row *row = step->ended[i].row;
        bool drawn = i < step->first && row->action != SW_DRAW;
        bool part = i + 1 == step->count || (i < step->first && !drawn);
        if (!drawn && !row->is_inner)
            swi_rolling_use_add(window, thread->counting, i, row->action, share);
        if (part)
            swi_rolling_use_add(window, thread->counting, i, SW_STEP, share);
    }
}

/* Adds some of the steps. Returns whether the window is full with them. */
static bool window_take(struct swi_rolling_window *window, const struct swi_thread *thread,
                        const struct step *step, int64_t some)
{
    window_add(window, step, some);
    if (thread->counting)
        counters_window(window, thread, step, some);
    return window_push(window, step, some);
}

/* Of steps that are alike, only the last window that they fill is logged. full: set to whether
 * there is one. Returns how many steps are left for the window after it. */
static int64_t windows_take(struct swi_rolling_window *window, const struct swi_thread *thread,
                            const struct step *step, bool *full)
{
    int64_t some = step->times < window->left ? step->times : window->left;
    *full = window_take(window, thread, step, some);
    int64_t rest = step->times - some, length = window->length;
    if (SWI_LIKELY(rest < length))
        return rest;
    swi_rolling_window_next(window);
    window->pushed += rest / length * length - length;
    *full = window_take(window, thread, step, length);
    return rest % length;
}

/* A window is logged after training batch k when k - drop is a positive multiple of its length. */
static void metrics_send(struct sw_profiler *sw, const struct step *step, bool full)
{
    struct swi_rolling_window *window = &sw->loop.window;
    bool due = full && swi_rolling_window_has_begun(window);
    if (due || sw->loop.values.count)
        swi_recorder_metrics(&sw->records, &sw->loop.values, due ? window : NULL, step->number,
                             step->end);
    if (full)
        swi_rolling_window_next(window);
}

static void counters_add(const struct swi_thread *thread, const struct step *step,
                         struct swi_row *own)
{
    for (uint32_t i = step->from; i < step->count && !step->leave_out; i++)
        swi_counter_use_fold(thread, i, step->times - 1);
    if (own && !step->leave_out)
        swi_counter_use_step(thread, own, step->from, step->first, step->count, step->times - 1);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void elapsed_add(struct swi_thread *thread, const struct step *step)
{
    swi_elapsed_step(&thread->elapsed, step->phase, step->samples, step->times,
                     swi_ticks_sum(step->draw, step->batch), step->end);
}

/* For the findings, while a sink wants them. */
static void newest_add(struct swi_newest_steps *newest, const struct step *step)
{
    const struct swi_ended_step ended = {.number = step->number,
                                         .samples = step->samples,
                                         .draw = step->draw,
                                         .batch = step->batch,
                                         .times = step->times};
    if (newest && step->phase == SW_PHASE_TRAIN)
        swi_newest_steps_add(newest, &ended, step->ended + step->first, step->count - step->first,
                             step->end);
    else if (newest)
        swi_newest_steps_other(newest, false, step->end);
}

/* sw_set_step() has numbered a step that does not follow the one before. */
static void end_trace(struct sw_profiler *sw, struct swi_thread *thread, const struct step *step)
{
    bool train = step->phase == SW_PHASE_TRAIN;
    bool set = train && step->number != sw->loop.next_step;
    struct swi_traced_batch batch = {.samples = step->samples, .step = set ? step->number : -1};
    if (train)
        sw->loop.next_step = step->number + 1;
    if (thread->tracing)
        swi_trace(sw, thread, SW_REGION_END, SW_BATCH, step->end, &batch);
}

static void record_make(struct sw_profiler *sw, struct swi_thread *thread, const struct step *step,
                        int64_t now)
{
    const struct swi_recorded_step recorded = {
        .first = step->first,
        .samples = step->samples,
        .ticks = step->samples < 0 ? 0 : swi_ticks_sum(step->draw, step->batch),
        .times = step->times};
    swi_recorder_step(&sw->records, thread, &recorded, now);
}

void swi_step_end(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                  int64_t samples, int64_t now)
{
    struct step step = step_of(sw, thread, first, samples, now);
    bool train = step.phase == SW_PHASE_TRAIN;
    step.batch = ticks_of(&step, step.count - 1);
    if (swi_wants(&sw->records, SW_RECORD_STEP))
        record_make(sw, thread, &step, now);
    end_trace(sw, thread, &step);
    calls_count(&step, thread->batch_folded);
    struct swi_row *own = swi_thread_row(thread, step.phase, SW_STEP);
    struct swi_row *whole = swi_thread_row(thread, SW_PHASE_FIT, train ? SW_TRAIN : SW_VALID);
    elapsed_add(thread, &step);
    if (thread->counting)
        counters_add(thread, &step, own);
    regions_add(sw, &step);
    step_row_add(&step, own, whole);
    newest_add(sw->measured.newest, &step);
    bool full = false;
    int64_t rest = train ? windows_take(&sw->loop.window, thread, &step, &full) : 0;
    swi_waiting_clear(thread);
    sw->loop.batches[step.phase] += step.times;
    if (train)
        metrics_send(sw, &step, full);
    else
        swi_values_send(sw, thread, now);
    if (SWI_UNLIKELY(rest))
        window_take(&sw->loop.window, thread, &step, rest);
    if (train)
        SWI_SET(sw->measured.progress.step, step.number + 1);
    sw->loop.step_more = 0;
}

void swi_step_cancel(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first, int64_t now)
{
    struct step step = step_of(sw, thread, first, -1, now);
    if (swi_wants(&sw->records, SW_RECORD_STEP))
        record_make(sw, thread, &step, now);
    calls_add(sw, thread, &step, step.from);
    if (sw->measured.newest)
        swi_newest_steps_other(sw->measured.newest, true, now);
    swi_waiting_clear(thread);
    sw->loop.batches[step.phase] += step.times;
    sw->loop.not_of_epoch[step.phase] += step.times;
    sw->loop.step_more = 0;
}

/* ---- counting steps -------------------------------------------------------------------------- */

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
