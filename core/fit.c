/* SPDX-License-Identifier: MIT */
/* Who the loop thread is, and what the begin and end of fit and epoch bring about. */
#include "core/state.h"

#include <string.h>

void swi_fit_began(struct sw_profiler *sw, struct swi_thread *thread, int64_t start)
{
    SWI_SET(sw->fit_start, start);
    SWI_SET(sw->steps, 0);
    SWI_SET(sw->dropped_ticks, 0);
    SWI_SET(sw->fit_epochs, 0);
    memset(sw->batches, 0, sizeof sw->batches);
    swi_window_reset(&sw->window);
    thread->stack->inside = 0;
    SWI_SET(sw->fit_number, SWI_GET(sw->fit_number) + 1);
    atomic_store_explicit(&sw->fit_open, true, memory_order_release);
    atomic_store(&sw->fit_report, SWI_REPORT_DUE);
}

/* What this thread did before it was the loop thread moves from `threads` to where it belongs now.
 */
static void row_move(struct swi_thread *thread, _Atomic(struct swi_row *) *row)
{
    int action = SWI_GET(*row)->action;
    enum sw_phase phase = action == SW_DRAW ? SW_PHASE_TRAIN : SW_PHASE_FIT;
    struct swi_row *moved = swi_thread_row(thread, phase, action);
    if (moved)
        SWI_SET(*row, moved);
}

static void rows_move(struct swi_thread *thread)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    for (uint32_t i = 0; i < swi_ended_count(thread); i++)
        row_move(thread, &ended[i].row);
    for (int i = 0; i < swi_depth(thread); i++) {
        struct swi_frame *frame = &thread->frame[-i];
        _Atomic(struct swi_row *) row = frame->row;
        row_move(thread, &row);
        frame->row = row;
        frame->fast = swi_thread_fast(thread, frame->row->phase, frame->action);
    }
}

/* A loop without fit: one that began with the thread's first region stands below what is open. */
static void fit_insert(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_row *row = swi_thread_row(thread, SW_PHASE_FIT, SW_FIT);
    if (!row || (thread->frame + 1 >= thread->frame_limit && !swi_thread_grow_stack(thread)))
        return;
    struct swi_frame *stack = thread->stack;
    memmove(&stack[2], &stack[1], (size_t)swi_depth(thread) * sizeof *stack);
    stack[1] = (struct swi_frame){.row = row,
                                  .start = thread->first_tick,
                                  .inside = stack[0].inside,
                                  .fast = &thread->unused,
                                  .action = SW_FIT,
                                  .plain = -1};
    thread->frame++;
    swi_fit_began(sw, thread, thread->first_tick);
    swi_emit_mark(sw, SW_REGION_BEGIN, SW_FIT, thread->first_tick);
}

void swi_loop_claim(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    struct swi_thread *nobody = NULL;
    if (!atomic_compare_exchange_strong(&sw->loop, &nobody, thread))
        return;
    thread->loop = true;
    rows_move(thread);
    swi_thread_phase(thread, SW_PHASE_FIT);
    if (action != SW_FIT)
        fit_insert(sw, thread);
}

void swi_epoch_ended(struct sw_profiler *sw, int64_t now)
{
    SWI_SET(sw->fit_epochs, SWI_GET(sw->fit_epochs) + 1);
    if (swi_wants(sw, SW_RECORD_EPOCH))
        swi_emit_report(sw, SW_RECORD_EPOCH, swi_report_make(sw, false), now);
    SWI_SET(sw->epochs, SWI_GET(sw->epochs) + 1);
}

/* The report has seen what the other threads had by now; they start anew when they next look
 * (profiler.c). */
static void fits_next(struct sw_profiler *sw, struct swi_thread *thread)
{
    pthread_mutex_lock(&sw->lock);
    sw->fits++;
    thread->fits = sw->fits;
    atomic_store(&sw->serial, swi_serial_next());
    pthread_mutex_unlock(&sw->lock);
}

static void report_keep(struct sw_profiler *sw, struct sw_report *report, int64_t now)
{
    pthread_mutex_lock(&sw->lock);
    sw_report_free(sw->last_report);
    sw->last_report = report ? swi_report_ref(report) : NULL;
    atomic_store(&sw->fit_open, false);
    pthread_mutex_unlock(&sw->lock);
    swi_emit_report(sw, SW_RECORD_REPORT, report, now);
}

/* False where whoever ends the run meanwhile makes the report, and looks at the rows. */
static bool report_claim(struct sw_profiler *sw)
{
    enum swi_fit_report due = SWI_REPORT_DUE;
    return atomic_compare_exchange_strong(&sw->fit_report, &due, SWI_REPORT_MAKING);
}

static void thread_leaves_fit(struct sw_profiler *sw, struct swi_thread *thread)
{
    swi_thread_change(thread);
    swi_thread_reset(thread);
    swi_thread_changed(thread);
    thread->loop = false;
    thread->first_tick = 0;
    swi_thread_phase(thread, SW_PHASE_THREADS);
    fits_next(sw, thread);
    atomic_store(&sw->loop, NULL);
}

void swi_fit_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    SWI_SET(sw->fit_ticks, now - SWI_GET(sw->fit_start));
    if (sw->logged_count)
        swi_emit_metrics(sw, SWI_GET(sw->step) > 0 ? SWI_GET(sw->step) - 1 : 0, false, now);
    if (thread->tracing)
        swi_trace_flush(sw, thread);
    if (!report_claim(sw))
        return;
    report_keep(sw, swi_report_make(sw, true), now);
    atomic_store(&sw->fit_report, SWI_REPORT_NONE);
    thread_leaves_fit(sw, thread);
}
