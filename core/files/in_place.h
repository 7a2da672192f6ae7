/* SPDX-License-Identifier: MIT */
/* in_place.h - gives a complete file its final name, also where no file can be replaced. The
 * content is copied there, so that a reader may see a part of it. */
#ifndef CORE_FILES_IN_PLACE_H
#define CORE_FILES_IN_PLACE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether this reason of a failed rename, or of a failed temporary file, says that it
 * cannot be done here, though the file itself may be written: the folder does not belong to this
 * user, the file is mounted, as a container mounts a single one, or the file system cannot rename,
 * as those of object stores. */
static inline bool swi_stays_in_place(int reason)
{
    switch (reason) {
    case EACCES:
    case EPERM:
    case EROFS:
    case EBUSY:
    case EXDEV:
    case ENOSYS:
    case EINVAL:
    case ENOTTY:
    case EOPNOTSUPP:
#if ENOTSUP != EOPNOTSUPP
    case ENOTSUP:
#endif
        return true;
    default:
        return false;
    }
}

/* Opens a file as it is, or a new one. Returns the descriptor, or -1 with errno. */
static inline int swi_in_place_open(int folder, const char *name, int flags)
{
    enum { HOW = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK };
    int fd = openat(folder, name, HOW | flags);
    if (fd < 0 && errno == ENOENT)
        fd = openat(folder, name, HOW | flags | O_CREAT | O_EXCL, 0666);
    return fd;
}

/* Empties what swi_in_place_open() opened. Returns false with errno. */
static inline bool swi_in_place_empty(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_size == 0 || ftruncate(fd, 0) == 0);
}

/* Copies the rest of a file to another one. Returns false with errno. */
static inline bool swi_content_copy(int from, int to)
{
    char piece[1 << 14];
    ssize_t size, done;
    while ((size = read(from, piece, sizeof piece)) != 0) {
        if (size < 0 && errno != EINTR)
            return false;
        for (ssize_t at = 0; at < size; at += done) {
            done = write(to, piece + at, (size_t)(size - at));
            if (done < 0 && errno != EINTR)
                return false;
            done = done < 0 ? 0 : done;
        }
    }
    return true;
}

/* Returns whether a regular file belongs to root or to this user. Another user's is not written to:
 * a rename would have replaced it. */
static inline bool swi_in_place_is_own(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == 0 || st.st_uid == geteuid());
}

/* Like rename(). If that cannot be done here, copies the content and removes `from`. Returns 0, or
 * -1 with the errno of the copy if it has begun, else with that of the rename. */
static inline int swi_rename_or_copy(const char *from, const char *to)
{
    if (rename(from, to) == 0)
        return 0;
    int reason = errno;
    int source = swi_stays_in_place(reason) ? open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    int fd = source < 0 ? -1 : swi_in_place_open(AT_FDCWD, to, 0);
    bool begins = fd >= 0 && swi_in_place_is_own(fd) && swi_in_place_empty(fd);
    bool copied = begins && swi_content_copy(source, fd);
    reason = begins && !copied ? errno : reason;
    if (fd >= 0 && close(fd) != 0 && copied) {
        reason = errno;
        copied = false;
    }
    if (source >= 0)
        close(source);
    if (copied)
        unlink(from);
    errno = reason;
    return copied ? 0 : -1;
}

#endif
