/* SPDX-License-Identifier: MIT */
/* recording.h - which window is open. The loop's thread opens and closes windows
 * (core/loop/recording_windows.c) while it holds both the lock of the traces and that of the
 * measured values. So a thread that holds either lock may read them. */
#ifndef CORE_TRACE_RECORDING_H
#define CORE_TRACE_RECORDING_H

#include <stepwatch/window.h>

#include <stdatomic.h>

struct swi_recording {
    /* Set by swi_profiler_open(). */
    struct sw_schedule schedule;
    bool windowed; /* false: the window is the whole run */

    /* Written by the loop's thread. */
    int64_t steps;     /* training steps that ended while a sink or a capture needed them */
    int64_t capturing; /* steps that a capture still needs after the current one */
    int64_t windows;   /* windows opened so far */

    /* Written under both locks. */
    struct sw_window window; /* the open window, or the last one */
    int64_t since, until;    /* ticks; earlier or later events are in no window */

    /* Written by all threads. */
    atomic_bool open;
    atomic_bool reported; /* the window that was open from the start was reported */
    atomic_llong asked;   /* steps of a capture that is about to begin, or 0 */
};

#endif
