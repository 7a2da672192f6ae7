/* SPDX-License-Identifier: MIT */
#include "core/plugins/trust.h"
#include "core/text/printable.h"
#include "core/files/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
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

static int mode_check(const struct stat *st, const char *what, struct swi_trusted *found,
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
    found->fixed = false;
    if (!*found->warn)
        snprintf(found->warn, sizeof found->warn, "%s is writable by its group: chmod g-w it",
                 what);
    return 0;
}

static int trust_check(const struct stat *st, const char *what, struct swi_trusted *found,
                       struct sw_error *err)
{
    int rc = owner_check(st, what, err);
    return rc < 0 ? rc : mode_check(st, what, found, err);
}

/* In a sticky folder, users can rename or remove only their own files. */
static int above_check(const struct stat *st, const char *path, struct swi_trusted *found,
                       struct sw_error *err)
{
    char what[256];
    if (swi_owner_is_trusted(st->st_uid) &&
        ((st->st_mode & S_ISVTX) || !(st->st_mode & (S_IWGRP | S_IWOTH))))
        return 0;
    snprintf(what, sizeof what, "the folder %s above it", SWI_PRINTABLE(path));
    return trust_check(st, what, found, err);
}

static int type_check(int fd, const struct stat *st, struct sw_error *err)
{
    char magic[4];
    if (S_ISDIR(st->st_mode))
        return sw_error_set(err, SW_ESINK, "it is a directory, expected a shared object");
    if (!S_ISREG(st->st_mode))
        return sw_error_set(err, SW_ESINK, "it is not a regular file, expected a shared object");
    if (st->st_size == 0)
        return sw_error_set(err, SW_ESINK, "it is empty, expected a shared object");
    if (pread(fd, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, "\177ELF", 4) != 0)
        return sw_error_set(err, SW_ESINK, "it is not an ELF file, expected a shared object");
    return 0;
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

/* ---- the folders on the way ------------------------------------------------------------------ */

/* Only the first folder that cannot be trusted is reported, and only if the file exists. The last
 * folder is checked separately. */
struct swi_trusted_folder {
    const char *name;
    struct swi_walk walk;
    struct sw_error failure; /* why it could not be entered; code 0: it was */
    struct swi_trusted above;
    struct sw_error problem;
    struct stat last;
    char path[PATH_MAX];
};

static void folder_look(const struct swi_walk *walk, const struct stat *st)
{
    struct swi_trusted_folder *folder = walk->arg;
    if (*folder->path && !folder->problem.code)
        above_check(&folder->last, folder->path, &folder->above, &folder->problem);
    folder->last = *st;
    memcpy(folder->path, walk->here, strlen(walk->here) + 1);
}

struct swi_trusted_folder *swi_trust_enter(const char *name)
{
    char path[PATH_MAX];
    struct swi_trusted_folder *folder = calloc(1, sizeof *folder);
    if (!folder)
        return NULL;
    folder->name = name;
    folder->above.fixed = true;
    folder->walk = (struct swi_walk){.folder = -1, .look = folder_look, .arg = folder};
    snprintf(path, sizeof path, "%s/.", name);
    if (swi_walk_begin(&folder->walk, path, &folder->failure) == 0)
        swi_walk_to_last(&folder->walk, &folder->failure);
    return folder;
}

const char *swi_trust_name(const struct swi_trusted_folder *folder)
{
    return folder->name;
}

void swi_trust_leave(struct swi_trusted_folder *folder)
{
    if (!folder)
        return;
    swi_walk_end(&folder->walk);
    sw_error_free(&folder->failure);
    sw_error_free(&folder->problem);
    free(folder);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Problems of the file come first, then those of its folder, then those of the folders above. */
static int file_check(int fd, const struct swi_trusted_folder *folder, struct swi_trusted *found,
                      struct sw_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return sw_error_set(err, SW_ESINK, "it cannot be accessed: %s", strerror(errno));
    int rc = type_check(fd, &st, err);
    if (rc == 0)
        rc = trust_check(&st, "it", found, err);
    if (rc == 0)
        rc = trust_check(&folder->last, "its folder", found, err);
    if (rc == 0 && folder->problem.code)
        sw_error_set(err, folder->problem.code, "%s", sw_error_text(&folder->problem));
    if (!*found->warn)
        memcpy(found->warn, folder->above.warn, sizeof found->warn);
    found->fixed &= folder->above.fixed;
    return rc < 0 ? rc : folder->problem.code;
}

static int not_entered(const struct swi_trusted_folder *folder, struct swi_trusted *found,
                       struct sw_error *err)
{
    found->reason = folder->walk.reason;
    return sw_error_set(err, found->reason ? SW_EIO : SW_ESINK, "%s",
                        sw_error_text(&folder->failure));
}

int swi_trust_open(const struct swi_trusted_folder *folder, const char *name,
                   struct swi_trusted *found, struct sw_error *err)
{
    *found = (struct swi_trusted){.fixed = true};
    if (folder->failure.code)
        return not_entered(folder, found, err);
    /* Non-blocking, because it may be a FIFO. */
    int fd = openat(folder->walk.folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return not_opened(err);
    int rc = file_check(fd, folder, found, err);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}
