/* SPDX-License-Identifier: MIT */
#include "core/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

static int owner_check(const struct stat *st, const char *what, struct sw_error *err)
{
    if (st->st_uid == 0 || st->st_uid == geteuid())
        return 0;
    return sw_error_set(err, SW_ESINK,
                        "%s belongs to user %u, expected root or user %u: its owner could put any "
                        "code into this program",
                        what, (unsigned)st->st_uid, (unsigned)geteuid());
}

static int mode_check(const struct stat *st, const char *what, char *warn, size_t warn_size,
                      struct sw_error *err)
{
    if (st->st_mode & S_IWOTH)
        return sw_error_set(err, SW_ESINK, "%s is writable by everybody: chmod o-w it", what);
    if (!(st->st_mode & S_IWGRP))
        return 0;
    if (is_privileged())
        return sw_error_set(err, SW_ESINK,
                            "%s is writable by its group, which a setuid program does not accept: "
                            "chmod g-w it",
                            what);
    if (warn && !*warn)
        snprintf(warn, warn_size, "%s is writable by its group: chmod g-w it", what);
    return 0;
}

static int trust_check(const struct stat *st, const char *what, char *warn, size_t warn_size,
                       struct sw_error *err)
{
    int rc = owner_check(st, what, err);
    return rc < 0 ? rc : mode_check(st, what, warn, warn_size, err);
}

static int type_check(int fd, const struct stat *st, struct sw_error *err)
{
    char magic[4];
    if (S_ISDIR(st->st_mode))
        return sw_error_set(err, SW_ESINK, "it is a directory, expected a shared object");
    if (!S_ISREG(st->st_mode))
        return sw_error_set(err, SW_ESINK, "it is no regular file, expected a shared object");
    if (st->st_size == 0)
        return sw_error_set(err, SW_ESINK, "it is empty, expected a shared object");
    if (pread(fd, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, "\177ELF", 4) != 0)
        return sw_error_set(err, SW_ESINK, "it is no ELF file, expected a shared object");
    return 0;
}

static int file_check(int folder, int fd, char *warn, size_t warn_size, struct sw_error *err)
{
    struct stat st, of_folder;
    if (fstat(fd, &st) != 0 || fstat(folder, &of_folder) != 0)
        return sw_error_set(err, SW_ESINK, "it cannot be looked at: %s", strerror(errno));
    int rc = type_check(fd, &st, err);
    if (rc == 0)
        rc = trust_check(&st, "it", warn, warn_size, err);
    return rc < 0 ? rc : trust_check(&of_folder, "its folder", warn, warn_size, err);
}

static int not_opened(struct sw_error *err)
{
    int why = errno;
    if (why == ENOENT)
        return SW_EIO;
    if (why == ELOOP)
        return sw_error_set(err, SW_ESINK, "it is a symbolic link, which is not followed");
    return sw_error_set(err, SW_ESINK, "it cannot be opened: %s", strerror(why));
}

int swi_trust_open(int folder, const char *name, char *warn, size_t warn_size, struct sw_error *err)
{
    /* Not blocking: it may be a FIFO. */
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return not_opened(err);
    int rc = file_check(folder, fd, warn, warn_size, err);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}
