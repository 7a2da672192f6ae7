/* SPDX-License-Identifier: MIT */
/* The end of a step: its regions get their rates, go into the rows and into the rolling window. */
#include "core/loop/step.h"
#include "core/loop/open_regions.h"
#include "core/loop/recording_windows.h"
#include "core/rows/action.h"

static struct swi_step step_of(const struct sw_profiler *sw, const struct swi_thread *thread,
                               uint32_t first, int64_t samples, int64_t now)
{
    struct swi_step step = {.ended = thread->ended,
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
        if (swi_step_action(&step, i) == SW_DRAW) {
            step.draw = swi_ticks_sum(step.draw, swi_step_ticks(&step, i));
            step.last_draw = i;
        }
    step.leave_out = sw->measured.chosen.drop && sw->loop.batches[step.phase] == 0;
    return step;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void ended_add(const struct swi_step *step, struct swi_row *row, int64_t ticks, int64_t self)
{
    if (SWI_LIKELY(step->times == 1))
        swi_row_add(row, ticks, self);
    else
        swi_row_add_calls(row, ticks, self, step->times);
}

static void rate_add(const struct swi_step *step, struct swi_row *row, double rate)
{
    if (SWI_LIKELY(step->times == 1))
        swi_row_add_rate(row, rate);
    else
        swi_row_add_rates(row, rate, step->times);
}

/* Before the batch, only its last draw has a rate. Several calls of one action share the samples of
 * the step: they are micro-batches of one optimizer step. Returns whether the region has one. */
static bool rate_of(const struct swi_step *step, uint32_t i, double *rate)
{
    const struct swi_row *row = step->ended[i].row;
    if (i < step->first) {
        *rate = swi_draw_rate(step->samples, step->draw, step->batch);
        return i == step->last_draw && step->samples > 0 && step->batch > 0;
    }
    *rate = swi_rate(step->samples, swi_step_ticks(step, i)) / (double)row->lead->step_calls;
    return *rate > 0 && row->action != SW_ZERO_GRAD;
}

static void regions_add(struct sw_profiler *sw, const struct swi_step *step)
{
    for (uint32_t i = step->from; i < step->count; i++) {
        struct swi_row *row = step->ended[i].row;
        double rate;
        if (step->leave_out) {
            swi_dropped_add(sw, step->ended[i].self);
            continue;
        }
        ended_add(step, row, swi_step_ticks(step, i), step->ended[i].self);
        if (rate_of(step, i, &rate))
            rate_add(step, row, rate);
    }
}

/* The step itself has a row, and its rate is also that of train or valid as a whole. */
static void step_row_add(const struct swi_step *step, struct swi_row *own, struct swi_row *whole)
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
static void calls_count(const struct swi_step *step, bool more)
{
    for (uint32_t i = step->first; !more && i < step->count; i++)
        step->ended[i].row->lead->step_calls = 0;
    for (uint32_t i = step->first; i < step->count; i++)
        step->ended[i].row->lead->step_calls++;
}

/* Adds the calls without rates. */
static void calls_add(struct sw_profiler *sw, struct swi_thread *thread,
                      const struct swi_step *step, uint32_t from)
{
    for (uint32_t i = from; i < step->count; i++) {
        if (thread->counting && !step->leave_out)
            swi_counter_use_fold(thread, i, step->times - 1);
        if (step->leave_out)
            swi_dropped_add(sw, step->ended[i].self);
        else
            ended_add(step, step->ended[i].row, swi_step_ticks(step, i), step->ended[i].self);
    }
}

void swi_step_shorten(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint32_t first = (uint32_t)thread->batch_first;
    struct swi_step step = step_of(sw, thread, first, 0, 0);
    for (struct swi_row *row = thread->rows; row && !thread->batch_folded; row = row->next)
        row->step_calls = 0;
    thread->batch_folded = true;
    calls_count(&step, true);
    calls_add(sw, thread, &step, first);
    thread->ended_count = first;
}

static void counters_add(const struct swi_thread *thread, const struct swi_step *step,
                         struct swi_row *own)
{
    for (uint32_t i = step->from; i < step->count && !step->leave_out; i++)
        swi_counter_use_fold(thread, i, step->times - 1);
    if (own && !step->leave_out)
        swi_counter_use_step(thread, own, step->from, step->first, step->count, step->times - 1);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void elapsed_add(struct swi_thread *thread, const struct swi_step *step)
{
    swi_elapsed_step(&thread->elapsed, step->phase, step->samples, step->times,
                     swi_ticks_sum(step->draw, step->batch), step->end);
}

/* For the findings, while a sink wants them. */
static void newest_add(struct swi_newest_steps *newest, const struct swi_step *step)
{
    if (newest && step->phase == SW_PHASE_TRAIN)
        swi_newest_steps_add(newest, step);
    else if (newest)
        swi_newest_steps_other(newest, false, step->end);
}

/* sw_set_step() has numbered a step that does not follow the one before. */
static void end_trace(struct sw_profiler *sw, struct swi_thread *thread,
                      const struct swi_step *step)
{
    bool train = step->phase == SW_PHASE_TRAIN;
    bool set = train && step->number != sw->loop.next_step;
    struct swi_traced_batch batch = {.samples = step->samples, .step = set ? step->number : -1};
    if (train)
        sw->loop.next_step = step->number + 1;
    if (thread->tracing)
        swi_trace(sw, thread, SW_REGION_END, SW_BATCH, step->end, &batch);
}

void swi_step_end(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                  int64_t samples, int64_t now)
{
    struct swi_step step = step_of(sw, thread, first, samples, now);
    bool train = step.phase == SW_PHASE_TRAIN;
    step.batch = swi_step_ticks(&step, step.count - 1);
    if (swi_wants(&sw->records, SW_RECORD_STEP))
        swi_recorder_step(&sw->records, thread, &step);
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
    swi_waiting_clear(thread);
    sw->loop.batches[step.phase] += step.times;
    if (train)
        swi_rolling_average_step(&sw->records, &sw->loop.window, &sw->loop.values, thread, &step);
    else
        swi_values_send(sw, thread, now);
    if (train)
        SWI_SET(sw->measured.progress.step, step.number + 1);
    sw->loop.step_more = 0;
}

void swi_step_cancel(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first, int64_t now)
{
    struct swi_step step = step_of(sw, thread, first, -1, now);
    if (swi_wants(&sw->records, SW_RECORD_STEP))
        swi_recorder_step(&sw->records, thread, &step);
    calls_add(sw, thread, &step, step.from);
    if (sw->measured.newest)
        swi_newest_steps_other(sw->measured.newest, true, now);
    swi_waiting_clear(thread);
    sw->loop.batches[step.phase] += step.times;
    sw->loop.not_of_epoch[step.phase] += step.times;
    sw->loop.step_more = 0;
}

/* ---- the end of a region --------------------------------------------------------------------- */

/* Before there is a loop, this may be its thread, and its first step. */
static SWI_INLINE bool waits(const struct sw_profiler *sw, const struct swi_thread *thread,
                             int action)
{
    if (thread->loop)
        return thread->batch_first >= 0 || thread->drawing || action == SW_DRAW;
    return (thread->drawing || action == SW_DRAW) && !atomic_load(&sw->measured.loop);
}

/* What the end of a step and of a fit has is traced where these are made. */
static void region_trace(struct sw_profiler *sw, struct swi_thread *thread, int action,
                         int64_t samples, int64_t now)
{
    if (thread->tracing && (!thread->loop || (action != SW_BATCH && action != SW_FIT)))
        swi_trace(sw, thread, SW_REGION_END, action, now,
                  &(struct swi_traced_batch){.samples = samples, .step = -1});
}

/* Whether what ends now waits, and there is room for it. */
static SWI_INLINE bool ends_later(const struct sw_profiler *sw, struct swi_thread *thread,
                                  int action)
{
    return waits(sw, thread, action) &&
           (thread->ended_count < thread->ended_capacity || swi_thread_grow_ended(thread));
}

static SWI_INLINE void ended_take(struct swi_thread *thread, struct swi_row *row, int64_t ticks,
                                  int64_t self, bool later)
{
    if (later)
        thread->ended[thread->ended_count++] = (struct swi_ended){row, ticks, self};
    else
        swi_row_add(row, ticks, self);
}

static SWI_INLINE void ended_limit(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (thread->ended_count < SWI_ENDED_MAX)
        return;
    if (thread->batch_first >= 0)
        swi_step_shorten(sw, thread);
    else
        swi_waiting_full(sw, thread);
}

/* Where counters of two CPUs differ by some ticks, a duration may be negative: swi_row_add() takes
 * it for 0. */
void swi_region_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples, int64_t now)
{
    struct swi_frame *frame = thread->frame;
    struct swi_row *row = frame->row;
    int action = frame->action, depth = swi_depth(thread);
    int64_t ticks = swi_ticks_between(frame->start, now);
    int64_t self = swi_ticks_between(frame->inside, ticks);
    bool later = ends_later(sw, thread, action);
    if (thread->counting)
        swi_counter_use_end(thread->counting, depth, later ? NULL : row, thread->ended_count);
    frame[-1].inside = swi_ticks_sum(frame[-1].inside, ticks);
    swi_frame_pop(thread);
    ended_take(thread, row, ticks, self, later);
    region_trace(sw, thread, action, samples, now);
    if (action == SW_DRAW)
        swi_draw_left(thread);
    ended_limit(sw, thread);
}

void swi_leaf_end(struct sw_profiler *sw, struct swi_thread *thread, struct swi_row *row,
                  int64_t ticks)
{
    thread->frame->inside = swi_ticks_sum(thread->frame->inside, ticks);
    ended_take(thread, row, ticks, ticks, ends_later(sw, thread, row->action));
    ended_limit(sw, thread);
}
