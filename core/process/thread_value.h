/* SPDX-License-Identifier: MIT */
/* thread_value.h - a pointer that each thread has for itself, for plugins.
 *
 * A plugin has no _Thread_local variables: the LeakSanitizer of a program takes memory that the
 * loader has made for those of a loaded library for something else, and ends the program. */
#ifndef CORE_PROCESS_THREAD_VALUE_H
#define CORE_PROCESS_THREAD_VALUE_H

#include <pthread.h>

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
