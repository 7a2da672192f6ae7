/* SPDX-License-Identifier: MIT */
/* preempted.h - how often the loop's thread was preempted before its fit, and how long it waited
 * for a processor. The dispatcher's thread looks from time to time, because the loop's thread must
 * not make a system call. So the figures are at most a quarter of a second old when a fit begins.
 */
#ifndef CORE_ROWS_PREEMPTED_H
#define CORE_ROWS_PREEMPTED_H

#include "core/process/preemptions.h"

struct swi_measured;

struct swi_preempted {
    int opened_by; /* the thread that called sw_open(): its gettid() */
    int thread;    /* the thread that was counted; 0: none */
    struct swi_preemptions count;
};

/* Takes the figures of the calling thread, which opens the profiler and probably runs the loop. */
void swi_preempted_open(struct swi_measured *measured);

/* Takes those of the thread that runs the loop or ran the last fit. Keeps existing ones
 * while a fit is open. */
void swi_preempted_look(struct swi_measured *measured);

/* Returns those before the fit that ends, if they are known. The next fit gets new ones. thread:
 * set to the thread of the fit, or 0. Call it with the lock held. */
struct swi_preemptions swi_preempted_take(struct swi_measured *measured, int *thread);

#endif
