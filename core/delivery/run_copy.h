/* SPDX-License-Identifier: MIT */
/* run_copy.h - the struct sw_run that a sink sees: a copy, because the program may change the run.
 */
#ifndef CORE_DELIVERY_RUN_COPY_H
#define CORE_DELIVERY_RUN_COPY_H

#include "core/delivery/worker.h"

/* Sets the start of a run that is replayed, also while sinks are being opened (sw_set_start()). */
void swi_run_replayed(struct sw_run *run, double started_s);

/* Copies the run: a sink has no lock with which it could read it again. The program may change the
 * run until the sink is opened. */
void swi_run_take(struct swi_worker *worker);

/* Makes the lock free in the child of a fork. */
void swi_run_child(void);

#endif
