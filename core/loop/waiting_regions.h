/* SPDX-License-Identifier: MIT */
/* waiting_regions.h - the regions that wait for the end of their step: draws and what ended in
 * them, and what ended in the open batch. Under the fold lock.
 *
 * A draw belongs to a step of its own phase. While a batch is open, those of the other phase come
 * first in the list: ended[0 .. step_from). */
#ifndef CORE_LOOP_WAITING_REGIONS_H
#define CORE_LOOP_WAITING_REGIONS_H

#include "core/loop/state.h"

/* A batch begins: puts what waits for the other phase first. */
void swi_waiting_sort(struct swi_thread *thread);

/* The batch and its draws are in their rows, or left out. */
void swi_waiting_clear(struct swi_thread *thread);

/* A draw is dropped, and no batch is open: what ended in it, from `first` on, counts now. */
void swi_waiting_count(struct swi_thread *thread, uint32_t first);

/* A batch that began at `first` is discarded with its draws and what ended in it. What ended in the
 * draws counts. */
void swi_waiting_discard_batch(struct swi_thread *thread, uint32_t first);

/* An epoch, train, valid or fit is over: the same for its draws that no batch followed. */
void swi_waiting_discard(struct swi_thread *thread, int action);

/* The list is as long as it may be, and no batch is open. */
void swi_waiting_full(struct sw_profiler *sw, struct swi_thread *thread);

/* Adds all that waits to its rows: the thread is not the loop's. */
void swi_waiting_add(struct swi_thread *thread);

/* Before a report: does so with all threads but the loop's. */
void swi_reports_prepare(struct sw_profiler *sw);

#endif
