/* SPDX-License-Identifier: MIT */
/* What a program says while it runs besides regions and values: pauses, which leave a period out of
 * all measurements; the number of its step; how it ends. */
#include "core/loop/calling_thread.h"
#include "core/loop/counting.h"
#include "core/loop/recording_windows.h"
#include "core/loop/step.h"
#include "core/loop/open_regions.h"

/* What is open on the other threads never ends, as far as it is measured. They forget it as well,
 * at their next call. */
static void others_discard(struct sw_profiler *sw, const struct swi_thread *own, int64_t now)
{
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread;
         thread = thread->list) {
        if (thread == own || thread->number == SWI_SPANS_THREAD)
            continue;
        thread->ends_excused = swi_depth(thread) + SWI_ENDS_EXCUSED;
        swi_regions_discard(sw, thread, 0, now);
    }
}

/* The other threads notice it at their next call. Before anything is folded, which takes a while.
 * Returns false if another thread has paused. */
static bool others_stop(struct sw_profiler *sw, struct swi_thread *own)
{
    pthread_mutex_lock(&sw->measured.lock);
    bool first = !atomic_exchange(&sw->measured.paused, true);
    if (first) {
        own->pauses_seen = ++sw->measured.pauses;
        atomic_store(&sw->measured.serial, swi_profiler_serial_next());
    }
    pthread_mutex_unlock(&sw->measured.lock);
    return first;
}

static void counting_pause(struct swi_thread *thread)
{
    swi_counters_read_now(thread);
    if (thread->counting)
        swi_counter_use_pause(thread->counting);
}

static void counting_resume(struct swi_thread *thread)
{
    swi_counters_read_now(thread);
    if (thread->counting)
        swi_counter_use_resume(thread->counting, swi_depth(thread));
}

/* A clock that the program set is called by one thread, which notes nothing too late; but a replay
 * has the step of the pause behind it. */
static void left_out_set(struct swi_measured *measured, int64_t tick)
{
    if (!measured->clock.set)
        measured->left_out = tick;
}

void sw_pause(struct sw_profiler *sw)
{
    struct swi_thread *thread = sw && !atomic_load(&sw->measured.dead) ? swi_thread_get(sw) : NULL;
    if (!thread || !others_stop(sw, thread))
        return;
    SWI_FOLDED(&sw->measured);
    if (!atomic_load(&sw->measured.paused))
        return; /* another thread has resumed */
    int64_t now = swi_clock_tick(&sw->measured.clock);
    counting_pause(thread);
    others_discard(sw, thread, now);
    sw->measured.pause_tick = now;
    left_out_set(&sw->measured, INT64_MAX);
    pthread_mutex_lock(&sw->measured.lock);
    sw->measured.standing = true;
    pthread_mutex_unlock(&sw->measured.lock);
    swi_regions_hand_over(sw);
    swi_recorder_pause(&sw->records, thread, true, now);
}

/* Moves the begins of open regions later by the length of the pause. */
static void pause_take_out(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    int64_t paused = now - sw->measured.pause_tick;
    for (struct swi_frame *frame = thread->stack + 1; frame <= thread->frame; frame++)
        frame->start += paused;
    counting_resume(thread);
    swi_elapsed_shift(&thread->elapsed, paused);
    if (thread->loop)
        sw->measured.progress.fit_start += paused;
    else if (thread->begun)
        thread->first_tick += paused;
}

/* If the end of the run has begun, its report is made as of the beginning of the pause. */
static void resume(struct sw_profiler *sw)
{
    struct swi_thread *thread = swi_thread_get(sw);
    if (!thread && atomic_load(&sw->measured.dead))
        return;
    int64_t now = swi_clock_tick(&sw->measured.clock);
    left_out_set(&sw->measured, now);
    if (thread)
        pause_take_out(sw, thread, now);
    pthread_mutex_lock(&sw->measured.lock);
    sw->measured.standing = false;
    pthread_mutex_unlock(&sw->measured.lock);
    if (thread)
        swi_recorder_pause(&sw->records, thread, false, now);
}

void sw_resume(struct sw_profiler *sw)
{
    if (!sw || !atomic_load(&sw->measured.paused) || swi_is_inherited(&sw->measured))
        return;
    SWI_FOLDED(&sw->measured);
    if (atomic_exchange(&sw->measured.paused, false) && sw->measured.standing)
        resume(sw);
}

/* ---- steps, the end and messages ------------------------------------------------------------- */

void sw_set_step(struct sw_profiler *sw, int64_t step)
{
    if (!sw || step < 0)
        return;
    SWI_FOLDED(&sw->measured);
    struct swi_progress *progress = &sw->measured.progress;
    int64_t next = step < SWI_STEP_MAX ? step : SWI_STEP_MAX, set = SWI_GET(progress->set_step);
    bool stepped = SWI_GET(progress->step) != (set ? set - 1 : 0);
    SWI_SET(progress->set_step, stepped ? SWI_STEP_SET_PASSED : next + 1);
    SWI_SET(progress->step, next);
}

int64_t sw_get_step(struct sw_profiler *sw)
{
    if (!sw)
        return 0;
    SWI_FOLDED(&sw->measured);
    return SWI_GET(sw->measured.progress.step);
}

/* What the loop did before does not have the new number in its records. */
void sw_expect_steps(struct sw_profiler *sw, int64_t steps)
{
    if (!sw)
        return;
    SWI_FOLDED(&sw->measured);
    SWI_SET(sw->measured.progress.expected, steps > 0 ? steps : 0);
}

bool sw_should_stop(struct sw_profiler *sw)
{
    return sw && !atomic_load(&sw->measured.dead) && swi_pipeline_stopped(sw->records.pipeline);
}

void sw_set_exit_status(struct sw_profiler *sw, int status)
{
    if (sw)
        atomic_store(&sw->ending.exit_status, status);
}

void sw_set_messages(struct sw_profiler *sw, sw_message_fn *fn, void *arg)
{
    if (sw && !swi_is_copy())
        swi_messages_set(&sw->records.messages, fn, arg);
}
