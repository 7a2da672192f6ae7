/* SPDX-License-Identifier: MIT */
/* identity.h - recognises whether a descriptor is still the file that was opened. A program may
 * close descriptors that it does not know, as those do that become daemons, and then the number
 * belongs to the next file that it opens. */
#ifndef CORE_FILES_IDENTITY_H
#define CORE_FILES_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>

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

#endif
