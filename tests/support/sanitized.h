/* SPDX-License-Identifier: MIT */
/* sanitized.h - SANITIZED is 1 where a sanitizer is built in: it makes system calls and takes
 * memory of its own. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#include <stdlib.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Ends a forked child. At exit(), the leak checker could wait for a lock that another thread held
 * when the process forked. */
static inline void child_exit(int status)
{
    if (SANITIZED)
        _exit(status);
    exit(status);
}

#endif
