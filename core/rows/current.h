/* SPDX-License-Identifier: MIT */
/* current.h - what the calling thread used last. */
#ifndef CORE_ROWS_CURRENT_H
#define CORE_ROWS_CURRENT_H

#include <stdint.h>

struct sw_profiler;
struct swi_thread;

enum { SWI_OTHERS = 3 };

/* A profiler's serial, and what it has of this thread. */
struct swi_known {
    uint64_t serial; /* 0: none. A serial that is no longer the profiler's own finds nothing. */
    struct swi_thread *thread;
};

struct swi_current {
    uint64_t serial;  /* of the profiler that `thread` belongs to; 0: none */
    uint64_t counted; /* the same where the CPU's counter is its clock and the next call is not
                         timed (sampling.h), else 0 */
    struct swi_thread *thread;
    struct sw_profiler *acting_for; /* sw_set_thread() */
    int acting_as;
    int id;          /* of the thread, as gettid() says it; 0: nobody asked yet */
    unsigned oldest; /* the next of `others` to be overwritten, modulo their number */
    struct swi_known others[SWI_OTHERS]; /* profilers that it used before (recent_profilers.h) */
};

/* Initial-exec: one addition to the thread pointer, also in a shared library. */
extern __attribute__((visibility("hidden"),
                      tls_model("initial-exec"))) _Thread_local struct swi_current swi_current;

#endif
