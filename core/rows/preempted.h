/* SPDX-License-Identifier: MIT */
/* preempted.h - how often the loop's thread was preempted before its fit. The dispatcher's thread
 * looks from time to time, because the loop's thread must not make a system call. So the count is
 * at most a quarter of a second old when a fit begins. */
#ifndef CORE_ROWS_PREEMPTED_H
#define CORE_ROWS_PREEMPTED_H

#include <stdint.h>

struct swi_measured;

struct swi_preempted {
    int opened_by; /* the thread that called sw_open(): its gettid() */
    int thread;    /* the thread that was counted; 0: none */
    int64_t count; /* -1: not known */
};

/* Takes the count of the calling thread, which opens the profiler and probably runs the loop. */
void swi_preempted_open(struct swi_measured *measured);

/* Takes the count of the thread that runs the loop or ran the last fit. Keeps an existing count
 * while a fit is open. */
void swi_preempted_look(struct swi_measured *measured);

/* Returns the count before the fit that ends, or -1. The next fit gets a new one. thread: set to
 * the thread of the fit, or 0. Call it with the lock held. */
int64_t swi_preempted_take(struct swi_measured *measured, int *thread);

#endif
