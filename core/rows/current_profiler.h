/* SPDX-License-Identifier: MIT */
/* current_profiler.h - the profilers that the calling thread used last. */
#ifndef CORE_ROWS_CURRENT_PROFILER_H
#define CORE_ROWS_CURRENT_PROFILER_H

#include <stdint.h>

struct sw_profiler;
struct swi_thread;

enum { SWI_OTHERS = 3 };

/* A profiler's serial and the calling thread's state in it. */
struct swi_known {
    uint64_t serial; /* 0 if the entry is empty. An old serial of a profiler matches nothing. */
    struct swi_thread *thread;
};

struct swi_current {
    /* Every call reads the first three members. They share a cache line. */
    _Alignas(32) uint64_t serial; /* of the profiler that `thread` belongs to, or 0 */
    uint64_t counted; /* equal to serial if the profiler's clock is the CPU's counter and the next
                         call needs no closer look (swi_is_counted()); else 0 */
    struct swi_thread *thread;
    const struct swi_thread *folded; /* whose events the thread is folding, or NULL */
    struct sw_profiler *acting_for;  /* set by sw_set_thread() */
    int acting_as;
    int id;             /* the thread's gettid(), or 0 before it is known */
    int busy;           /* depth of slow calls (core/loop/calling_thread.h) */
    int refused;        /* calls in a signal handler meanwhile */
    int refused_action; /* of the last one */
    unsigned oldest; /* the index of the entry in `others` to overwrite next, modulo their number */
    struct swi_known others[SWI_OTHERS]; /* used before this one (recent_profilers.h) */
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
#define SWI_CURRENT_AT(distance) ((const __seg_fs struct swi_current *)(distance))
static inline intptr_t swi_current_distance(void)
{
    return (intptr_t)((const char *)&swi_current - (const char *)__builtin_thread_pointer());
}
#else
#define SWI_CURRENT_AT(distance) ((void)(distance), (const struct swi_current *)&swi_current)
static inline intptr_t swi_current_distance(void)
{
    return 0;
}
#endif

#endif
