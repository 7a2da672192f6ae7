/* SPDX-License-Identifier: MIT */
/* What each thread does at its first call after a window began or ended (see
 * core/loop/recording_windows.c).
 */
#include "core/loop/recording_thread.h"
#include "core/loop/counting.h"
#include "core/loop/tracing.h"

/* ---- records --------------------------------------------------------------------------------- */

void swi_window_emit(struct sw_profiler *sw, int64_t tick)
{
    if (!swi_wants(&sw->records, SW_RECORD_WINDOW))
        return;
    struct swi_record *record = swi_emit_new(&sw->records, SW_RECORD_WINDOW, SWI_POOL_FEW, tick);
    if (!record)
        return;
    struct sw_window *window = swi_record_room(record);
    _Static_assert(sizeof *window <= SWI_POOL_FEW * sizeof(struct sw_metric), "no room");
    *window = sw->recording.window;
    record->record.window = window;
    swi_emit_push(&sw->records, record);
}

/* A window that is open from the start is announced before the first region, and not in sw_open(),
 * because the program may still set the clock. */
static void start_tell(struct sw_profiler *sw)
{
    struct swi_recording *r = &sw->recording;
    if (!sw->records.pipeline || atomic_exchange(&r->told, true) || !r->window.open ||
        r->window.number > 0)
        return;
    r->window.first_step = SWI_GET(sw->measured.progress.step);
    swi_window_emit(sw, swi_clock_tick(&sw->measured.clock));
}

/* ---- each thread ----------------------------------------------------------------------------- */

/* Regions that are open when a window begins start with it. */
static void frames_trace(struct sw_profiler *sw, struct swi_thread *thread)
{
    swi_counting_catch_up(thread);
    for (struct swi_frame *frame = thread->stack + 1; frame <= thread->frame; frame++) {
        int64_t since = sw->recording.since;
        swi_trace(sw, thread, SW_REGION_BEGIN, frame->action,
                  frame->start > since ? frame->start : since, -1);
        if (frame->plain >= 0)
            frame->plain = swi_plain_traced(frame->action);
    }
}

void swi_recording_thread_look(struct sw_profiler *sw, struct swi_thread *thread)
{
    start_tell(sw);
    bool open = atomic_load(&sw->recording.open);
    swi_trace_set(sw, thread, open && swi_wants(&sw->records, SW_RECORD_REGIONS));
    if (!open || thread->window == sw->recording.window.number)
        return;
    thread->window = sw->recording.window.number;
    if (thread->tracing)
        frames_trace(sw, thread);
}
