/* SPDX-License-Identifier: MIT */
/* The lock is on a separate file beside the written one, because the written one is replaced by a
 * new file. The locked file is removed at the end. A file that a killed process leaves behind
 * blocks nobody. */
#include "core/files/write_lock.h"
#include "core/files/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 10000 };

/* Returns r.csv, or r-2.csv. A leading dot does not begin an extension. Returns NULL if out of
 * memory. */
static char *numbered(const char *path, int n)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot && dot != name ? (size_t)(dot - path) : strlen(path));
    char *made = NULL;
    if (n < 2)
        return strdup(path);
    return asprintf(&made, "%.*s-%d%s", stem, path, n, path + stem) < 0 ? NULL : made;
}

static const char *name_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* The owner of the file may have removed it before this process locked it. Then the lock is on a
 * file without a name. */
static bool is_same_file(int folder, const char *name, int fd)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* ---- what a child inherits ------------------------------------------------------------------- */

enum { LOCKED = 256 };
static struct swi_locked_file locked[LOCKED];

void swi_write_lock_child(void)
{
    swi_locked_close_all(locked, LOCKED);
}

/* ---- the lock -------------------------------------------------------------------------------- */

static void lock_close(int fd)
{
    swi_locked_remove(locked, LOCKED, fd);
    close(fd);
}

enum { HELD = -1, NO_LOCKS = -2 };

/* Returns the locked file, HELD if another sink has it, or NO_LOCKS. */
static int lock_take(int folder, const char *name)
{
    for (;;) {
        int fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
        if (fd < 0)
            return NO_LOCKS;
        swi_locked_add(locked, LOCKED, fd);
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            bool held = errno == EWOULDBLOCK;
            lock_close(fd);
            return held ? HELD : NO_LOCKS;
        }
        if (is_same_file(folder, name, fd))
            return fd;
        lock_close(fd);
    }
}

static void lock_release(int folder, const char *name, int fd)
{
    if (name)
        unlinkat(folder, name, 0);
    flock(fd, LOCK_UN); /* a child of clone() may have it open too */
    lock_close(fd);
}

/* Returns whether there is a file that must not be replaced. */
static bool stays(int folder, const char *name, int64_t since_ns)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec > since_ns;
}

/* Returns whether the file is a device, a link or a folder. It is not replaced, so nobody can lose
 * a file. */
static bool is_special(int folder, const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode);
}

/* Tries the path of hold. Returns 1 if it is held now, 0 if another sink has it, -1 if there are no
 * locks. */
static int try_path(struct swi_write_lock *hold, int folder, int64_t since_ns)
{
    const char *name = name_of(hold->path);
    free(hold->lock);
    if (asprintf(&hold->lock, ".%.240s.lock", name) < 0)
        hold->lock = NULL;
    int fd = hold->lock ? lock_take(folder, hold->lock) : NO_LOCKS;
    if (fd == HELD)
        return 0;
    if (stays(folder, name, since_ns)) {
        if (fd >= 0)
            lock_release(folder, hold->lock, fd);
        return 0;
    }
    hold->fd = fd;
    hold->of_lock = swi_identity_of(fd);
    return fd >= 0 ? 1 : -1;
}

/* Returns false if every name is taken, or if memory runs out. */
static bool find_name(struct swi_write_lock *hold, int folder, int64_t since_ns)
{
    for (int n = 1; n <= TRIES; n++) {
        free(hold->path);
        hold->path = numbered(hold->wanted, n);
        if (!hold->path)
            return false;
        if (n == 1 && is_special(folder, name_of(hold->path)))
            return true;
        int rc = try_path(hold, folder, since_ns);
        if (rc > 0) {
            hold->folder = fcntl(folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            hold->of_folder = swi_identity_of(hold->folder);
        }
        if (rc != 0)
            return true;
    }
    return false;
}

static struct swi_write_lock *hold_new(const char *path)
{
    struct swi_write_lock *hold = calloc(1, sizeof *hold);
    if (!hold)
        return NULL;
    hold->folder = hold->fd = -1;
    hold->process = getpid();
    hold->wanted = strdup(path);
    hold->path = strdup(path);
    if (hold->wanted && hold->path)
        return hold;
    swi_write_lock_release(hold);
    return NULL;
}

struct swi_write_lock *swi_write_lock_take(const char *path, int64_t since_ns)
{
    SW_ERROR_SCOPE(ignored);
    struct swi_walk walk = {.make = true, .folder = -1};
    struct swi_write_lock *hold = hold_new(path);
    bool fine = hold;
    /* The code that writes the file reports what is wrong with the path. */
    if (hold && swi_walk_begin(&walk, path, &ignored) == 0 &&
        swi_walk_to_last(&walk, &ignored) == 0 && *walk.rest)
        fine = find_name(hold, walk.folder, since_ns);
    swi_walk_end(&walk);
    if (fine)
        return hold;
    swi_write_lock_release(hold);
    return NULL;
}

void swi_write_lock_release(struct swi_write_lock *hold)
{
    if (!hold)
        return;
    struct stat st;
    bool folder = swi_identity_holds(&hold->of_folder, hold->folder, &st);
    /* In a child the file is closed, and its descriptor may be in use for another file. */
    if (hold->process == getpid() && swi_identity_holds(&hold->of_lock, hold->fd, &st))
        lock_release(hold->folder, folder ? hold->lock : NULL, hold->fd);
    else if (hold->process == getpid() && hold->fd >= 0)
        swi_locked_remove(locked, LOCKED, hold->fd);
    if (folder)
        close(hold->folder);
    free(hold->wanted);
    free(hold->path);
    free(hold->lock);
    free(hold);
}
