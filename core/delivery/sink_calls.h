/* SPDX-License-Identifier: MIT */
/* sink_calls.h - calls the functions of a sink on the thread of its worker, and counts what becomes
 * of its records. */
#ifndef CORE_DELIVERY_SINK_CALLS_H
#define CORE_DELIVERY_SINK_CALLS_H

#include "core/delivery/worker.h"

/* Only the worker's thread writes the counters. */
static inline void swi_count_one(atomic_llong *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* Opens the sink. Returns 0, or SW_EFULL if its disk is full: try again later. Any other code: it
 * is given up. */
int swi_sink_open(struct swi_worker *worker);
/* Tries again. last: the run has ended, so that a disk that is still full is a failure. */
int swi_sink_open_again(struct swi_worker *worker, bool last);

/* Gives it the record of the run. */
void swi_sink_run(struct swi_worker *worker);

/* Gives it a record from the queue. A sink that was given up gets nothing, so no record is
 * completed for it alone. */
void swi_sink_handle(struct swi_worker *worker, struct swi_record *record);

/* Tells the sink what was lost, if it wants to know. */
void swi_sink_lost(struct swi_worker *worker, const struct sw_lost *lost, int64_t time_ns);

void swi_sink_flush(struct swi_worker *worker);

/* Flushes and closes it, if it is open. */
void swi_sink_close(struct swi_worker *worker);

/* Closes what it left open, and notes which files could not be written. */
void swi_sink_close_files(struct swi_worker *worker);

#endif
