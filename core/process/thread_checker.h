/* SPDX-License-Identifier: MIT */
/* thread_checker.h - tells a program's thread sanitizer what it cannot see of stepwatch.
 *
 * In code that was compiled without it, the sanitizer sees each malloc(), memcpy() and strcmp(),
 * but not the atomic operations that order them. It would report races that are none, and end the
 * program with status 66. */
#ifndef CORE_PROCESS_THREAD_CHECKER_H
#define CORE_PROCESS_THREAD_CHECKER_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SWI_IS_CHECKED 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define SWI_IS_CHECKED 1
#endif

#ifdef SWI_IS_CHECKED
static inline void *swi_unchecked(void *(*thread_main)(void *arg), void *arg)
{
    return thread_main(arg);
}

static inline void swi_handed_over(const void *memory)
{
    (void)memory;
}

static inline void swi_taken_over(const void *memory)
{
    (void)memory;
}
#else

/* Functions of the sanitizer, which are there if the program has one. */
extern void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
extern void __tsan_acquire(void *memory) __attribute__((weak));
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
extern void __tsan_release(void *memory) __attribute__((weak));

/* Runs the main function of one of our threads, whose reads and writes are then not judged. Locks
 * are still seen. */
static inline void *swi_unchecked(void *(*thread_main)(void *arg), void *arg)
{
    if (!AnnotateIgnoreReadsBegin || !AnnotateIgnoreReadsEnd || !AnnotateIgnoreWritesBegin ||
        !AnnotateIgnoreWritesEnd)
        return thread_main(arg);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    void *result = thread_main(arg);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    return result;
}

/* For what the program's threads read without a lock: call the first one before the store that
 * shows the memory to other threads, and the second one after the load. */
static inline void swi_handed_over(const void *memory)
{
    if (__tsan_release)
        __tsan_release((void *)memory);
}

static inline void swi_taken_over(const void *memory)
{
    if (__tsan_acquire)
        __tsan_acquire((void *)memory);
}
#endif

#endif
