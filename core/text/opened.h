/* SPDX-License-Identifier: MIT */
/* opened.h - what is done with a descriptor: to write a whole text, and to close it. */
#ifndef CORE_TEXT_OPENED_H
#define CORE_TEXT_OPENED_H

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

/* Before a variable: its descriptor is closed at the end of the block, unless it is negative. */
#define SWI_CLOSED __attribute__((cleanup(swi_fd_end)))

static inline void swi_fd_end(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* Writes all of text unless it fails. Returns how much was written. errno says why it was not all.
 */
static inline size_t swi_fd_write(int fd, const char *text, size_t size)
{
    size_t done = 0;
    errno = 0;
    while (done < size) {
        ssize_t n = write(fd, text + done, size - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        else if (n == 0 || errno != EINTR)
            break;
    }
    errno = done < size && !errno ? EIO : errno;
    return done;
}

#endif
