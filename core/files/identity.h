/* SPDX-License-Identifier: MIT */
/* identity.h - recognises whether a descriptor is still the file that was opened. A program may
 * close descriptors that it does not know, as those do that become daemons, and then the number
 * belongs to the next file that it opens. So whoever keeps a descriptor asks before each use. */
#ifndef CORE_FILES_IDENTITY_H
#define CORE_FILES_IDENTITY_H

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

struct swi_identity {
    dev_t device;
    ino_t inode;
};

static inline struct swi_identity swi_identity_of(int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        return (struct swi_identity){0};
    return (struct swi_identity){st.st_dev, st.st_ino};
}

/* Fills st. Returns false if the descriptor is closed or belongs to another file. */
static inline bool swi_identity_holds(const struct swi_identity *identity, int fd, struct stat *st)
{
    return fd >= 0 && fstat(fd, st) == 0 && st->st_dev == identity->device &&
           st->st_ino == identity->inode;
}

/* Returns whether another one has the lock. Call it right after F_OFD_SETLK has failed. SMB says
 * EACCES then, but so does a policy that forbids locks, such as one of SELinux. */
static inline bool swi_lock_is_anothers(int fd, const struct flock *wanted)
{
    struct flock found = *wanted;
    if (errno != EACCES)
        return errno == EAGAIN;
    return fcntl(fd, F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
}

/* Closes a descriptor, unless it belongs to another file by now. Returns 0, or -1 with errno. */
static inline int swi_identity_close(const struct swi_identity *identity, int fd)
{
    struct stat st;
    return swi_identity_holds(identity, fd, &st) ? close(fd) : 0;
}

/* Moves a descriptor above the standard ones, because the program may close its stdout later. A
 * negative one stays. Returns the descriptor, or -1 with errno. */
static inline int swi_above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int saved = errno;
    close(fd);
    errno = saved;
    return higher;
}

/* Returns whether a descriptor is the file. If the program has closed it, and the file still has
 * its name, opens it again with these flags (O_WRONLY | O_APPEND) and changes fd. If not, errno is
 * EBADF. */
static inline bool swi_identity_keep(const struct swi_identity *identity, int *fd, const char *path,
                                     int flags, struct stat *st)
{
    if (swi_identity_holds(identity, *fd, st))
        return true;
    int again = swi_above_standard(open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (swi_identity_holds(identity, again, st) && S_ISREG(st->st_mode)) {
        *fd = again;
        return true;
    }
    if (again >= 0)
        close(again);
    errno = EBADF;
    return false;
}

/* ---- what a child must not keep --------------------------------------------------------------
 * A lock belongs to all processes that have the file open, so a child that outlives its parent
 * would keep it. These lists need no lock of their own, for a fork may come at any time.
 */

struct swi_locked_file {
    atomic_int fd; /* plus one; 0 is free */
    atomic_ullong device, inode;
};

/* With more files than there is room for, the child keeps them. */
static inline void swi_locked_add(struct swi_locked_file *list, size_t count, int fd)
{
    struct swi_identity identity = swi_identity_of(fd);
    for (size_t i = 0; i < count; i++) {
        int expected = 0;
        if (!atomic_compare_exchange_strong(&list[i].fd, &expected, fd + 1))
            continue;
        atomic_store(&list[i].device, identity.device);
        atomic_store(&list[i].inode, identity.inode);
        return;
    }
}

static inline void swi_locked_remove(struct swi_locked_file *list, size_t count, int fd)
{
    for (size_t i = 0; i < count; i++) {
        int expected = fd + 1;
        if (atomic_compare_exchange_strong(&list[i].fd, &expected, 0))
            return;
    }
}

/* For the child: closes all of them. */
static inline void swi_locked_close_all(struct swi_locked_file *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int fd = atomic_exchange(&list[i].fd, 0) - 1;
        struct swi_identity identity = {(dev_t)atomic_load(&list[i].device),
                                        (ino_t)atomic_load(&list[i].inode)};
        swi_identity_close(&identity, fd);
    }
}

#endif
