/* SPDX-License-Identifier: MIT */
/* current_profiler.h - what the calling thread knows of the open profilers. */
#ifndef CORE_ROWS_CURRENT_PROFILER_H
#define CORE_ROWS_CURRENT_PROFILER_H

#include <stddef.h>
#include <stdint.h>

struct sw_profiler;
struct swi_thread;

/* A thread that uses several profilers in turn finds its state in each of them at once: each open
 * profiler has a place of its own. If more are open than there are places, some share one, and a
 * thread that uses these in turn finds its state with a lock. */
enum { SWI_KNOWN_PLACES = 4 };

/* The calling thread's state in a profiler. Every call reads it. */
struct swi_known {
    /* Of the profiler, or 0. A profiler gets a new serial whenever threads must look at it again,
     * so a place with the right serial is up to date, and an old serial matches nothing. */
    _Alignas(32) uint64_t serial;
    uint64_t counted; /* equal to serial if the next call needs no closer look (swi_counted_as()),
                         with one of these bits if it is not of sw->first on the CPU's counter or
                         has more to do; else 0 */
    struct swi_thread *thread;
};
#define SWI_COUNTED_LATER UINT64_C(1)   /* another thread than sw->first */
#define SWI_COUNTED_IN_PART UINT64_C(2) /* any thread, in a mode that ignores actions */
#define SWI_COUNTED_LONGER UINT64_C(4)  /* any thread: it reads counters, or another clock */

struct swi_current {
    struct swi_known known[SWI_KNOWN_PLACES];
    int newest;                      /* the place in which a thread was found last */
    const struct swi_thread *folded; /* whose events the thread is folding, or NULL */
    struct swi_thread *filled;       /* its state if it folds because its chunk is full, or NULL */
    struct sw_profiler *acting_for;  /* set by sw_set_thread() */
    int acting_as;
    int id;             /* the thread's gettid(), or 0 before it is known */
    uint64_t blocked;   /* a bit for each signal that it blocked then */
    int busy;           /* depth of slow calls (core/loop/calling_thread.h) */
    int refused;        /* calls in a signal handler meanwhile */
    int refused_action; /* of the last one */
};

/* Initial-exec: the distance from the thread pointer is the same on every thread, even in a shared
 * library. */
extern __attribute__((visibility("hidden"),
                      tls_model("initial-exec"))) _Thread_local struct swi_current swi_current;

/* The calls of the loop read that distance from the profiler, which they read anyway. The library's
 * own table of addresses would be one more cache line and page. (The sanitizers do not know
 * segments.) */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SWI_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SWI_SANITIZED 1
#endif
#if defined(__x86_64__) && defined(__SEG_FS) && !defined(__STRICT_ANSI__) && !defined(SWI_SANITIZED)
#define SWI_KNOWN_AT(distance) ((const __seg_fs struct swi_known *)(distance))
static inline intptr_t swi_known_distance(int place)
{
    return (intptr_t)((const char *)&swi_current.known[place] -
                      (const char *)__builtin_thread_pointer());
}
#else
#define SWI_KNOWN_AT(distance)                                                                     \
    ((const struct swi_known *)(const void *)((const char *)&swi_current + (distance)))
static inline intptr_t swi_known_distance(int place)
{
    return (intptr_t)offsetof(struct swi_current, known) +
           (intptr_t)sizeof(struct swi_known) * place;
}
#endif

#endif
