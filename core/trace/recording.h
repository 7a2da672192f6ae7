/* SPDX-License-Identifier: MIT */
/* recording.h - which window is open. The loop's thread opens and closes windows (core/loop/
 * windows.c) under the lock of the traces and that of what is measured; so whoever holds one of the
 * two reads them. */
#ifndef CORE_TRACE_RECORDING_H
#define CORE_TRACE_RECORDING_H

#include <stepwatch/window.h>

#include <stdatomic.h>

struct swi_recording {
    /* Chosen by swi_profiler_open(). */
    struct sw_schedule schedule;
    bool windowed; /* false: the window is the whole run */

    /* Written by the loop's thread. */
    int64_t steps;     /* training steps that ended while somebody looked */
    int64_t capturing; /* steps that a capture still asks for, after the one that runs */
    int64_t windows;   /* that were opened */

    /* Under both locks. */
    struct sw_window window; /* the one that is open, or was last */
    int64_t since, until;    /* ticks: what is earlier or later is in no window */

    /* Of all threads. */
    atomic_bool open;
    atomic_bool told;   /* the window that was open from the start */
    atomic_llong asked; /* steps of a capture that is to begin; 0: none */
};

#endif
