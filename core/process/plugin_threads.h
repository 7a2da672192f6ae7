/* SPDX-License-Identifier: MIT */
/* plugin_threads.h - threads whose stack has room for libraries. A program may limit its stacks to
 * less than they need, with `ulimit -s` or pthread_setattr_default_np(): libdw alone takes 128 KiB.
 */
#ifndef CORE_PROCESS_PLUGIN_THREADS_H
#define CORE_PROCESS_PLUGIN_THREADS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Like pthread_create(), with a stack of at least 1 MiB if there is memory for it. */
static inline int swi_roomy_thread(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    enum { LEAST = 1 << 20 };
    pthread_attr_t attributes;
    size_t size = LEAST;
    if (pthread_attr_init(&attributes) != 0)
        return pthread_create(thread, NULL, run, arg);
    bool small = pthread_attr_getstacksize(&attributes, &size) == 0 && size < LEAST &&
                 pthread_attr_setstacksize(&attributes, LEAST) == 0;
    int rc = small ? pthread_create(thread, &attributes, run, arg) : -1;
    pthread_attr_destroy(&attributes);
    return rc == 0 ? 0 : pthread_create(thread, NULL, run, arg);
}

/* The same with all signals blocked, for a thread of a sink: they are meant for the program's own
 * threads. */
static inline int swi_blocked_thread(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = swi_roomy_thread(thread, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* ---- what the thread sanitizer of a program cannot see --------------------------------------- */

/* Tells a program's thread sanitizer what it cannot see of stepwatch.
 *
 * In code that was compiled without it, the sanitizer sees each malloc(), memcpy() and strcmp(),
 * but not the atomic operations that order them. It would report races that are none, and end the
 * program with status 66. */

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

/* ---- a pointer that each thread has for itself ----------------------------------------------- */

/* A pointer that each thread has for itself, for plugins.
 *
 * A plugin has no _Thread_local variables: the LeakSanitizer of a program takes memory that the
 * loader has made for those of a loaded library for something else, and ends the program. */

/* Defines NAME_get() and NAME_set(value). The value is NULL until it is set. */
#define SWI_THREAD_VALUE(name)                                                                     \
    static pthread_key_t name##_key;                                                               \
    __attribute__((constructor)) static void name##_begin(void)                                    \
    {                                                                                              \
        pthread_key_create(&name##_key, NULL);                                                     \
    }                                                                                              \
    __attribute__((destructor)) static void name##_end(void)                                       \
    {                                                                                              \
        pthread_key_delete(name##_key);                                                            \
    }                                                                                              \
    static inline void *name##_get(void)                                                           \
    {                                                                                              \
        return pthread_getspecific(name##_key);                                                    \
    }                                                                                              \
    static inline void name##_set(const void *value)                                               \
    {                                                                                              \
        pthread_setspecific(name##_key, value);                                                    \
    }

#endif
