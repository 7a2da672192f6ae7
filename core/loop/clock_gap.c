/* SPDX-License-Identifier: MIT */
/* Corrects the open regions of a thread after its clock counted wrongly: after a suspend, or when
 * the counter stopped or was set. Regions on one side of a gap need no correction. */
#include "core/loop/clock_gap.h"

/* The regions around one that began before the gap began even earlier. */
static void frames_shift(struct swi_thread *thread, const struct swi_gap *gap, int64_t now)
{
    bool before = false;
    for (int i = 0; i < swi_depth(thread); i++) {
        struct swi_frame *frame = &thread->frame[-i];
        before = before || swi_gap_is_before(gap, frame->start, now);
        if (before)
            frame->start += gap->shift;
    }
}

static void elapsed_shift(struct swi_elapsed *elapsed, const struct swi_gap *gap, int64_t now)
{
    SWI_SET(elapsed->since, swi_gap_taken_out(gap, SWI_GET(elapsed->since), now));
    SWI_SET(elapsed->first, swi_gap_taken_out(gap, SWI_GET(elapsed->first), now));
    SWI_SET(elapsed->last, swi_gap_taken_out(gap, SWI_GET(elapsed->last), now));
}

/* The fields of the loop thread that a report may read from another thread. */
static void loop_shift(struct sw_profiler *sw, const struct swi_gap *gap, int64_t now)
{
    SWI_SET(sw->measured.progress.fit_start,
            swi_gap_taken_out(gap, SWI_GET(sw->measured.progress.fit_start), now));
    sw->measured.pause_tick = swi_gap_taken_out(gap, sw->measured.pause_tick, now);
    sw->loop.values.sent_tick = swi_gap_taken_out(gap, sw->loop.values.sent_tick, now);
}

/* Other threads look as well, before the counter catches up with the begins of their open regions.
 */
static void others_tell(struct sw_profiler *sw, unsigned gaps)
{
    if (atomic_exchange(&sw->measured.gaps_told, gaps) == gaps)
        return;
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
    swi_current.serial = swi_current.counted = 0;
}

void swi_gaps_take_out(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (!swi_gap_is_pending(&sw->measured, thread))
        return;
    unsigned gaps = atomic_load(&sw->measured.clock.gaps);
    int64_t now = swi_clock_tick(&sw->measured.clock);
    for (unsigned n = SWI_GET(thread->gaps); n != gaps; n++) {
        struct swi_gap gap;
        if (!swi_clock_gap(&sw->measured.clock, n, &gap))
            continue;
        frames_shift(thread, &gap, now);
        if (thread->begun)
            thread->first_tick = swi_gap_taken_out(&gap, thread->first_tick, now);
        elapsed_shift(&thread->elapsed, &gap, now);
        if (thread->loop)
            loop_shift(sw, &gap, now);
    }
    SWI_SET(thread->gaps, gaps);
    others_tell(sw, gaps);
}

void swi_gaps_look(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    SWI_RARE_WORK(&sw->measured);
    if (swi_clock_due(&sw->measured.clock, now))
        swi_clock_look(&sw->measured.clock);
    if (!swi_gap_is_pending(&sw->measured, thread))
        return;
    pthread_mutex_lock(&sw->measured.lock);
    swi_gaps_take_out(sw, thread);
    pthread_mutex_unlock(&sw->measured.lock);
}
