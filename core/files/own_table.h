/* SPDX-License-Identifier: MIT */
/* own_table.h - a table of descriptors for one thread, and closed standard descriptors.
 *
 * A library such as libcurl keeps descriptors that nobody else can check before each use. If its
 * thread has a table of its own, the program cannot close them, and nothing that the thread does
 * reaches a file of the program. */
#ifndef CORE_FILES_OWN_TABLE_H
#define CORE_FILES_OWN_TABLE_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Keeps a closed standard descriptor from being used for a file that is opened later, where output
 * of the program would end up: one of O_PATH can be neither read nor written, so everything fails
 * as it does with a closed one. For a table that other threads use too, call it before they open
 * files. */
static inline void swi_standard_hold(void)
{
    int fd;
    do
        fd = open("/", O_PATH | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* For the thread sanitizer, a descriptor is its number: two tables look like races to it. */
#if defined(__SANITIZE_THREAD__)
#define SWI_ONE_TABLE true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SWI_ONE_TABLE true
#endif
#endif
#ifndef SWI_ONE_TABLE
#define SWI_ONE_TABLE false
#endif

/* Gives the calling thread an empty table. Call it before the thread opens anything, and pass no
 * descriptor into it or out of it. Where the kernel cannot (before Linux 5.9), the table stays that
 * of the program. Threads that this thread starts use its table. */
static inline void swi_own_table(void)
{
    enum { UNSHARE = 1 << 1 }; /* CLOSE_RANGE_UNSHARE */
    if (!SWI_ONE_TABLE && syscall(SYS_close_range, 0, ~0U, UNSHARE) == 0)
        swi_standard_hold();
}

#endif
