/* SPDX-License-Identifier: MIT */
/* sw_pause() and sw_resume(): a stretch of time that is left out of everything. */
#include "core/loop/tracing.h"

void sw_pause(struct sw_profiler *sw)
{
    struct swi_thread *thread = sw && !atomic_load(&sw->dead) ? swi_thread_get(sw) : NULL;
    if (!thread)
        return;
    swi_traces_lock(&sw->traces);
    pthread_mutex_lock(&sw->lock);
    int64_t now = swi_clock_tick(&sw->clock);
    sw->pause_tick = now;
    sw->standing = true;
    sw->pauses++;
    thread->pauses = sw->pauses;
    atomic_store(&sw->paused, true);
    atomic_store(&sw->serial, swi_serial_next());
    pthread_mutex_unlock(&sw->lock);
    swi_regions_hand_over(sw);
    swi_emit_pause(sw, thread, true, now);
    swi_traces_unlock(&sw->traces);
}

/* Open regions begin later by as much as the pause took. */
static void pause_take_out(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    int64_t paused = now - sw->pause_tick;
    for (int i = 0; i < swi_depth(thread); i++)
        thread->frame[-i].start += paused;
    swi_thread_change(thread);
    swi_elapsed_shift(&thread->elapsed, paused);
    swi_thread_changed(thread);
    if (thread->loop)
        SWI_SET(sw->fit_start, SWI_GET(sw->fit_start) + paused);
    else if (thread->first_tick)
        thread->first_tick += paused;
}

static void resume(struct sw_profiler *sw)
{
    struct swi_thread *thread = swi_thread_get(sw);
    int64_t now = swi_clock_tick(&sw->clock);
    pthread_mutex_lock(&sw->lock);
    if (thread)
        pause_take_out(sw, thread, now);
    sw->standing = false;
    pthread_mutex_unlock(&sw->lock);
    if (thread)
        swi_emit_pause(sw, thread, false, now);
}

/* A report that is made meanwhile sees the pause either standing or taken out. No region of another
 * thread is handed over before the record. */
void sw_resume(struct sw_profiler *sw)
{
    if (!sw || !atomic_load(&sw->paused) || swi_is_inherited(sw))
        return;
    swi_traces_lock(&sw->traces);
    if (atomic_exchange(&sw->paused, false))
        resume(sw);
    swi_traces_unlock(&sw->traces);
}

int64_t swi_fit_elapsed(struct sw_profiler *sw)
{
    int64_t now = swi_clock_tick(&sw->clock);
    if (swi_clock_due(&sw->clock, now))
        swi_clock_look(&sw->clock);
    pthread_mutex_lock(&sw->lock);
    now = sw->standing ? swi_loop_tick(sw, sw->pause_tick) : swi_clock_tick(&sw->clock);
    int64_t elapsed = now - swi_loop_tick(sw, SWI_GET(sw->fit_start));
    SWI_SET(sw->elapsed_tick, now);
    pthread_mutex_unlock(&sw->lock);
    return elapsed;
}
