/* SPDX-License-Identifier: MIT */
/* Windows: by the schedule, on demand, or the whole run. The loop's thread decides at the end of a
 * training step. What is recorded is decided where the calls are folded, so a window costs the loop
 * nothing. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/recording_windows.h"

#include "core/loop/step.h"

#include <stepwatch/window.h>

#include <inttypes.h>

/* ---- which training steps a schedule records: <stepwatch/window.h> --------------------------- */

/* Computes the state of a schedule at a step from the step's number alone. */

/* Returns whether a step is recorded. */
static inline bool schedule_records(const struct sw_schedule *schedule, int64_t step)
{
    return sw_schedule_action(schedule, step) >= SW_SCHEDULE_RECORD;
}

static int64_t cycle_of(const struct sw_schedule *schedule)
{
    return schedule->wait + schedule->warmup + schedule->active;
}

/* Returns the action at a place in the cycle. */
static enum sw_schedule_action action_in_cycle(const struct sw_schedule *schedule, int64_t place)
{
    if (place < schedule->wait)
        return SW_SCHEDULE_NONE;
    if (place < schedule->wait + schedule->warmup)
        return SW_SCHEDULE_WARMUP;
    bool last = place == cycle_of(schedule) - 1;
    return last ? SW_SCHEDULE_RECORD_AND_SAVE : SW_SCHEDULE_RECORD;
}

/* If the first wait is skipped, the run is that many steps further, so the last cycle ends earlier
 * too. */
/* Returns whether the fields are in their range, as those of a configuration are: a cycle then has
 * at least one step, and no sum overflows. */
static bool is_schedule(const struct sw_schedule *schedule)
{
    uint64_t most = SW_SCHEDULE_MOST;
    return schedule->given && schedule->active > 0 && (uint64_t)schedule->active <= most &&
           (uint64_t)schedule->wait <= most && (uint64_t)schedule->warmup <= most &&
           (uint64_t)schedule->skip_first <= most;
}

enum sw_schedule_action sw_schedule_action(const struct sw_schedule *schedule, int64_t step)
{
    if (!is_schedule(schedule) || step < schedule->skip_first)
        return SW_SCHEDULE_NONE;
    int64_t cycle = cycle_of(schedule), cycles = schedule->repeat;
    int64_t since = step - schedule->skip_first + (schedule->skip_first_wait ? schedule->wait : 0);
    if (cycles > 0 && since / cycle >= cycles)
        return SW_SCHEDULE_NONE;
    return action_in_cycle(schedule, since % cycle);
}

/* Returns the first step after the last window, or INT64_MAX if windows repeat for ever. */
static int64_t schedule_end(const struct sw_schedule *schedule)
{
    if (schedule->repeat == 0)
        return INT64_MAX;
    int64_t left_out = schedule->skip_first_wait ? schedule->wait : 0;
    return schedule->skip_first + schedule->repeat * cycle_of(schedule) - left_out;
}

/* Returns the first step that is recorded. */
static int64_t schedule_first(const struct sw_schedule *schedule)
{
    int64_t wait = schedule->skip_first_wait ? 0 : schedule->wait;
    return schedule->skip_first + wait + schedule->warmup;
}

/* ---- opens and closes the windows in which regions are recorded ------------------------------ */

static void window_send(struct sw_profiler *sw, int64_t tick)
{
    if (!swi_wants(&sw->records, SW_RECORD_WINDOW))
        return;
    struct swi_record *record =
        swi_recorder_make(&sw->records, SW_RECORD_WINDOW, SWI_POOL_FEW, tick);
    if (!record)
        return;
    struct sw_window *window = swi_record_room(record);
    _Static_assert(sizeof *window <= SWI_POOL_FEW * sizeof(struct sw_metric), "no room");
    *window = sw->recording.window;
    record->record.window = window;
    swi_recorder_push(&sw->records, record);
}

/* No tick is within. */
static void ticks_close(struct swi_recording *recording)
{
    recording->since = INT64_MAX;
    recording->until = INT64_MIN;
}

/* Makes the loop check at the end of each step from now on, or stop doing so. */
static void due_set(struct sw_profiler *sw)
{
    const struct swi_recording *r = &sw->recording;
    bool scheduled = r->schedule.given && r->steps < schedule_end(&r->schedule);
    bool open = r->windowed && swi_windows_open(sw);
    atomic_store(&sw->loop.windows_due,
                 scheduled || open || r->capturing > 0 || atomic_load(&r->asked) > 0);
}

void swi_windows_init(struct sw_profiler *sw, const struct sw_schedule *schedule, bool windowed)
{
    struct swi_recording *r = &sw->recording;
    r->schedule = *schedule;
    r->windowed = windowed;
    bool open = !windowed || schedule_records(schedule, 0);
    ticks_close(r);
    r->window = (struct sw_window){.size = sizeof r->window,
                                   .reason = windowed ? SW_WINDOW_SCHEDULE : SW_WINDOW_RUN};
    if (open) {
        r->since = INT64_MIN;
        r->until = INT64_MAX;
        r->window.open = true;
        r->windows = 1;
    }
    atomic_store(&r->open, open);
    due_set(sw);
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* A window that is open from the start is announced before the first region, and not in sw_open(),
 * because the program may still set the clock. */
void swi_windows_start(struct sw_profiler *sw, int64_t now)
{
    struct swi_recording *r = &sw->recording;
    if (!sw->records.pipeline || atomic_load(&r->reported) || atomic_exchange(&r->reported, true) ||
        !r->window.open || r->window.number > 0)
        return;
    r->window.first_step = SWI_GET(sw->measured.progress.step);
    window_send(sw, now);
}

static void changed(struct sw_profiler *sw, bool open)
{
    atomic_store(&sw->recording.open, open);
    swi_tracing_look(sw);
}

static void window_begin(struct sw_profiler *sw, int64_t now, enum sw_window_reason reason)
{
    SWI_RARE_WORK(&sw->measured);
    struct swi_recording *r = &sw->recording;
    atomic_store(&r->reported, true);
    r->window = (struct sw_window){.size = sizeof r->window,
                                   .open = true,
                                   .number = r->windows++,
                                   .reason = reason,
                                   .begin_ns = swi_clock_ns(&sw->measured.clock, now),
                                   .first_step = SWI_GET(sw->measured.progress.step),
                                   .train_steps = swi_steps_of_epoch(sw, SW_PHASE_TRAIN),
                                   .valid_steps = swi_steps_of_epoch(sw, SW_PHASE_VALID)};
    r->since = now;
    r->until = INT64_MAX;
    window_send(sw, now);
    changed(sw, true);
}

static void window_close(struct sw_profiler *sw, int64_t now, bool cut)
{
    struct swi_recording *r = &sw->recording;
    r->until = now;
    swi_regions_hand_over(sw);
    r->window.open = false;
    r->window.cut = cut;
    r->window.end_ns = swi_clock_ns(&sw->measured.clock, now);
    r->window.next_step = SWI_GET(sw->measured.progress.step);
    window_send(sw, now);
    ticks_close(r);
    changed(sw, false);
}

/* ---- the end of a step ----------------------------------------------------------------------- */

/* A capture records the steps after the one that is running when it is requested. */
static void capture_count(struct swi_recording *r)
{
    if (r->capturing > 0)
        r->capturing--;
    int64_t asked = atomic_exchange(&r->asked, 0);
    r->capturing = asked > r->capturing ? asked : r->capturing;
}

bool swi_windows_step(struct sw_profiler *sw, int64_t now)
{
    SWI_RARE_WORK(&sw->measured);
    bool closed = false;
    struct swi_recording *r = &sw->recording;
    enum sw_schedule_action ended = sw_schedule_action(&r->schedule, r->steps);
    bool scheduled = schedule_records(&r->schedule, ++r->steps);
    capture_count(r);
    bool records = scheduled || r->capturing > 0;
    if (swi_windows_open(sw) && (!records || ended == SW_SCHEDULE_RECORD_AND_SAVE))
        window_close(sw, now, false), closed = true;
    if (!swi_windows_open(sw) && records)
        window_begin(sw, now, scheduled ? SW_WINDOW_SCHEDULE : SW_WINDOW_CAPTURE);
    due_set(sw);
    return closed;
}

/* ---- the end of the run ---------------------------------------------------------------------- */

bool swi_windows_end(struct sw_profiler *sw, int64_t now)
{
    struct swi_recording *r = &sw->recording;
    bool reported = atomic_load(&r->reported), open = swi_windows_open(sw);
    if (open && reported)
        window_close(sw, now, r->windowed);
    return open && reported;
}

void swi_windows_tell(struct sw_profiler *sw)
{
    sw_window_fn *fn = atomic_load(&sw->loop.window_fn);
    struct sw_window window = sw->recording.window;
    if (fn)
        fn(sw->loop.window_arg, &window);
}

void swi_windows_say(struct sw_profiler *sw)
{
    const struct swi_recording *r = &sw->recording;
    if (!r->schedule.given || r->windows > 0)
        return;
    swi_say(&sw->records.messages, SW_WARNING,
            "schedule: no step was recorded: its first window begins with training step %" PRId64
            " (counted from 0), and the run had %" PRId64
            " training steps; \"stepwatch schedule\" shows which steps a schedule records",
            schedule_first(&r->schedule), r->steps);
}

void sw_on_window(struct sw_profiler *sw, sw_window_fn *fn, void *arg)
{
    if (!sw)
        return;
    sw->loop.window_arg = arg;
    atomic_store(&sw->loop.window_fn, fn);
}

/* ---- on demand ------------------------------------------------------------------------------- */

/* Returns whether the calling thread is the loop's, or the only one so far, and no step is running.
 * Then the next step is the first one that a capture records. */
static bool is_between_steps(struct sw_profiler *sw, const struct swi_thread *thread)
{
    const struct swi_thread *loop = atomic_load(&sw->measured.loop);
    bool mine = loop ? loop == thread : sw->measured.thread_count == 1;
    return mine && thread->batch_first < 0 && !thread->drawing;
}

static void capture_now(struct sw_profiler *sw, int64_t steps)
{
    struct swi_recording *r = &sw->recording;
    r->capturing = steps > r->capturing ? steps : r->capturing;
    if (!swi_windows_open(sw))
        window_begin(sw, swi_clock_tick(&sw->measured.clock), SW_WINDOW_CAPTURE);
    due_set(sw);
}

void swi_windows_ask(struct sw_profiler *sw, int64_t steps)
{
    long long asked = atomic_load(&sw->recording.asked);
    while (steps > asked && !atomic_compare_exchange_weak(&sw->recording.asked, &asked, steps))
        continue;
    atomic_store(&sw->loop.windows_due, true);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next()); /* the loop looks */
}

void swi_windows_capture(struct sw_profiler *sw, const struct swi_thread *thread, int64_t steps)
{
    if (!sw->recording.windowed)
        return;
    SWI_FOLDED(&sw->measured);
    if (is_between_steps(sw, thread))
        capture_now(sw, steps);
    else
        swi_windows_ask(sw, steps);
}
