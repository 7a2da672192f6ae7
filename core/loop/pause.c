/* SPDX-License-Identifier: MIT */
/* sw_pause() and sw_resume(): leave a period out of all measurements. */
#include "core/loop/calling_thread.h"
#include "core/loop/counting.h"
#include "core/loop/tracing.h"

void sw_pause(struct sw_profiler *sw)
{
    struct swi_thread *thread = sw && !atomic_load(&sw->measured.dead) ? swi_thread_get(sw) : NULL;
    if (!thread)
        return;
    swi_traces_lock(&sw->traces);
    pthread_mutex_lock(&sw->measured.lock);
    int64_t now = swi_clock_tick(&sw->measured.clock);
    swi_counting_pause(thread);
    sw->measured.pause_tick = now;
    sw->measured.standing = true;
    sw->measured.pauses++;
    thread->pauses = sw->measured.pauses;
    atomic_store(&sw->measured.paused, true);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
    pthread_mutex_unlock(&sw->measured.lock);
    swi_regions_hand_over(sw);
    swi_emit_pause(&sw->records, thread, true, now);
    swi_traces_unlock(&sw->traces);
}

/* Moves the begins of open regions later by the length of the pause. */
static void pause_take_out(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    int64_t paused = now - sw->measured.pause_tick;
    for (int i = 0; i < swi_depth(thread); i++)
        thread->frame[-i].start += paused;
    swi_counting_resume(thread);
    swi_thread_change(thread);
    swi_elapsed_shift(&thread->elapsed, paused);
    swi_thread_changed(thread);
    if (thread->loop)
        SWI_SET(sw->measured.progress.fit_start, SWI_GET(sw->measured.progress.fit_start) + paused);
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
    pthread_mutex_lock(&sw->measured.lock);
    if (thread)
        pause_take_out(sw, thread, now);
    sw->measured.standing = false;
    pthread_mutex_unlock(&sw->measured.lock);
    if (thread)
        swi_emit_pause(&sw->records, thread, false, now);
}

/* A report that is made meanwhile sees the pause either as running or as removed. No region of
 * another thread is handed over before the record of the pause. */
void sw_resume(struct sw_profiler *sw)
{
    if (!sw || !atomic_load(&sw->measured.paused) || swi_is_inherited(&sw->measured))
        return;
    swi_traces_lock(&sw->traces);
    if (atomic_exchange(&sw->measured.paused, false))
        resume(sw);
    swi_traces_unlock(&sw->traces);
}
