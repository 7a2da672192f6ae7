/* SPDX-License-Identifier: MIT */
/* Reads the rows of the threads that a report is made from. */
#include "core/report/report_input.h"
#include "core/trace/trace.h"

#include <stdlib.h>

bool swi_report_input_is_stale(const struct swi_measured *measured, const struct swi_thread *thread)
{
    return thread->fits != measured->fits;
}

/* The threads of a report. They exist until sw_close(), so their rows are read without the lock,
 * and no thread that begins to measure or pauses has to wait for a report. For the report of a
 * moment, the rows show which of them belong to it. */
struct readable {
    size_t count;
    struct swi_thread **item; /* NULL if out of memory */
};

static struct readable threads_readable(struct swi_measured *measured,
                                        const struct swi_moment *moment)
{
    pthread_mutex_lock(&measured->lock);
    struct readable threads = {
        .item = calloc((size_t)measured->thread_count + 2, sizeof(*threads.item))};
    for (struct swi_thread *thread = measured->threads; thread && threads.item;
         thread = thread->next)
        if (moment->number != SWI_NOW || !swi_report_input_is_stale(measured, thread))
            threads.item[threads.count++] = thread;
    pthread_mutex_unlock(&measured->lock);
    return threads;
}

static void trace_cut(struct swi_thread *thread, uint64_t seen)
{
    swi_trace_cut(atomic_load(&thread->trace), seen);
}

/* Cuts the traces of stale threads, which the report before has seen completely. */
static void stale_cut(struct swi_measured *measured)
{
    pthread_mutex_lock(&measured->lock);
    for (struct swi_thread *thread = measured->threads; thread; thread = thread->next)
        if (swi_report_input_is_stale(measured, thread))
            trace_cut(thread, swi_trace_published(atomic_load(&thread->trace)));
    pthread_mutex_unlock(&measured->lock);
}

void swi_report_input_cut(struct swi_report_input *making)
{
    if (making->moment->number == SWI_NOW)
        stale_cut(making->reports->measured);
    for (size_t i = 0; i < making->count; i++)
        trace_cut(making->view[i].thread, making->view[i].traced);
}

static void views_fini(struct swi_report_input *making)
{
    for (size_t i = 0; i < making->count; i++)
        swi_row_reader_fini(&making->view[i]);
    free(making->view);
    making->view = NULL;
    making->count = 0;
}

void swi_report_input_add(struct swi_report_input *making, struct swi_thread *thread,
                          enum sw_phase shown, bool large)
{
    struct swi_row_reader *view = &making->view[making->count++];
    making->failed = !swi_row_reader_init(view, thread, making->moment, large) || making->failed;
    view->shown = shown;
    making->unbinned += SWI_GET(thread->reserve.lost);
}

void swi_report_input_read(struct swi_report_input *making, bool large)
{
    const struct swi_moment *moment = making->moment;
    struct readable threads = threads_readable(making->reports->measured, moment);
    making->view = calloc(threads.count + 1, sizeof *making->view);
    making->failed = !threads.item || !making->view;
    for (size_t i = 0; !making->failed && i < threads.count; i++) {
        enum sw_phase shown =
            threads.item[i]->number == SWI_SPANS_THREAD ? SW_PHASE_SPANS : SW_PHASE_THREADS;
        bool loop = threads.item[i] == moment->loop;
        swi_report_input_add(making, threads.item[i], loop ? moment->threads_are : shown, large);
    }
    free(threads.item);
}

bool swi_report_input_holds(const struct swi_report_input *making)
{
    for (size_t i = 0; i < making->count; i++)
        if (!swi_row_reader_holds(&making->view[i]))
            return false;
    return true;
}

void swi_report_input_flaw_tell(const struct swi_reports *reports, enum swi_flaw flaw, int number)
{
    reports->flawed(reports->arg, flaw, number);
}

void swi_report_input_torn_tell(const struct swi_report_input *making)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct swi_thread *thread = making->view[i].thread;
        if (making->view[i].torn)
            swi_report_input_flaw_tell(making->reports, SWI_FLAW_TORN,
                                       thread->loop ? 0 : thread->number);
    }
}

void swi_report_input_fini(struct swi_report_input *making)
{
    views_fini(making);
    free(making->source);
    free(making->part.room);
    swi_bins_fini(&making->row.durations);
    swi_bins_fini(&making->row.rates);
}
