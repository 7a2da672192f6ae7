/* SPDX-License-Identifier: MIT */
#include "core/report/report_input.h"

#include <stdlib.h>

void swi_report_input_add(struct swi_report_input *making, struct swi_thread *thread,
                          enum sw_phase shown)
{
    struct swi_row_reader *view = &making->view[making->count++];
    making->failed = !swi_row_reader_init(view, thread) || making->failed;
    view->shown = shown;
    making->unbinned += thread->reserve.lost;
}

static size_t threads_count(const struct swi_measured *measured)
{
    size_t count = 0;
    for (const struct swi_thread *thread = swi_first_thread(measured); thread;
         thread = thread->list)
        count++;
    return count;
}

void swi_report_input_read(struct swi_report_input *making)
{
    const struct swi_snapshot *snapshot = making->snapshot;
    struct swi_measured *measured = making->reports->measured;
    pthread_mutex_lock(&measured->lock); /* no thread is added meanwhile */
    making->view = calloc(threads_count(measured) + 1, sizeof *making->view);
    making->failed = !making->view;
    for (struct swi_thread *thread = swi_first_thread(measured); thread && !making->failed;
         thread = thread->list) {
        enum sw_phase shown = thread == snapshot->loop             ? snapshot->threads_are
                              : thread->number == SWI_SPANS_THREAD ? SW_PHASE_SPANS
                                                                   : SW_PHASE_THREADS;
        swi_report_input_add(making, thread, shown);
    }
    pthread_mutex_unlock(&measured->lock);
}

void swi_report_input_fini(struct swi_report_input *making)
{
    for (size_t i = 0; i < making->count; i++)
        swi_row_reader_fini(&making->view[i]);
    free(making->view);
    free(making->source);
    free(making->part.durations);
    swi_bins_fini(&making->row.durations);
    swi_bins_fini(&making->row.rates);
}
