/* SPDX-License-Identifier: MIT */
/* The lock is on a separate file beside the written one, because the written one is replaced by a
 * new file. Whoever holds the last byte of the locked file removes it. A file that a killed process
 * leaves behind blocks nobody. The locks are those of an open file (F_OFD_SETLK), not of a process.
 */
#include "core/files/write_lock.h"
#include "core/files/walk.h"
#include "core/text/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES = 10000 };

/* A sink that writes thousands of files of different names does not keep all of them locked. */
enum { FILES_KEPT = 16 };

struct swi_lock_file {
    struct swi_lock_file *next;
    char *name; /* of the locked file in the folder */
    int folder, fd;
    struct swi_identity of_folder, of_file;
    pid_t process;     /* the process that took the locks */
    int64_t holds;     /* bytes that have a struct swi_write_lock */
    int64_t from, end; /* other bytes that are this sink's: from, ..., end - 1 */
};

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

/* ---- the locked file ------------------------------------------------------------------------- */

enum { TAKEN = 1, HELD = 0, NO_LOCKS = -1 };

/* length: 0 is all of the file. */
static int byte_lock(int fd, int64_t byte, int64_t length, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = length};
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return TAKEN;
    return swi_lock_is_anothers(fd, &lock) ? HELD : NO_LOCKS;
}

static bool is_ours(const struct swi_lock_file *file)
{
    struct stat st;
    /* In a child the file is closed, and its descriptor may be in use for another file. */
    return file->process == getpid() && swi_identity_holds(&file->of_file, file->fd, &st);
}

static void lock_file_free(struct swi_lock_file *file)
{
    struct stat st;
    bool ours = is_ours(file);
    bool folder = swi_identity_holds(&file->of_folder, file->folder, &st);
    /* Of two that end at the same time, one must find that it is the last. */
    if (ours)
        byte_lock(file->fd, 0, 0, F_UNLCK);
    if (ours && folder && byte_lock(file->fd, 0, 0, F_WRLCK) == TAKEN &&
        is_same_file(file->folder, file->name, file->fd))
        unlinkat(file->folder, file->name, 0);
    if (file->process == getpid())
        swi_locked_remove(locked, LOCKED, file->fd);
    if (ours) {
        byte_lock(file->fd, 0, 0, F_UNLCK); /* a child of clone() may have it open too */
        close(file->fd);
    }
    if (folder)
        close(file->folder);
    free(file->name);
    free(file);
}

static struct swi_lock_file *lock_file_new(int folder, const char *name)
{
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    struct swi_lock_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->process = getpid();
    file->name = strdup(name);
    file->fd = swi_above_standard(openat(folder, name, flags, 0666));
    file->of_file = swi_identity_of(file->fd);
    file->folder = fcntl(folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    file->of_folder = swi_identity_of(file->folder);
    if (file->fd >= 0)
        swi_locked_add(locked, LOCKED, file->fd);
    if (file->name && file->fd >= 0 && file->folder >= 0)
        return file;
    lock_file_free(file);
    return NULL;
}

static struct swi_lock_file *lock_file_find(const struct swi_write_locks *locks, int folder,
                                            const char *name)
{
    struct swi_identity wanted = swi_identity_of(folder);
    for (struct swi_lock_file *file = locks->files; file; file = file->next)
        if (strcmp(file->name, name) == 0 && file->of_folder.device == wanted.device &&
            file->of_folder.inode == wanted.inode && is_ours(file))
            return file;
    return NULL;
}

/* Locks a byte. Sets file to the locked file, which is added to locks if it is new. */
static int lock_take(struct swi_write_locks *locks, int folder, const char *name, int64_t byte,
                     struct swi_lock_file **file)
{
    for (;;) {
        struct swi_lock_file *known = lock_file_find(locks, folder, name);
        *file = known ? known : lock_file_new(folder, name);
        if (!*file)
            return NO_LOCKS;
        int rc = byte_lock((*file)->fd, byte, 1, F_WRLCK);
        if (known)
            return rc;
        if (rc == TAKEN && is_same_file(folder, name, (*file)->fd)) {
            (*file)->next = locks->files;
            locks->files = *file;
            return rc;
        }
        lock_file_free(*file);
        if (rc != TAKEN)
            return rc;
    }
}

static void lock_file_remove(struct swi_write_locks *locks, struct swi_lock_file *file)
{
    struct swi_lock_file **at = &locks->files;
    while (*at != file)
        at = &(*at)->next;
    *at = file->next;
    lock_file_free(file);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static int64_t ns_of(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ns_of(now);
}

/* Returns the time by the clock of the file system, which may be another machine's, and this
 * machine's if nothing is locked. */
static int64_t file_now_ns(const struct swi_lock_file *file)
{
    const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    struct stat st;
    bool stamped = file && futimens(file->fd, now) == 0 && fstat(file->fd, &st) == 0;
    return stamped ? ns_of(st.st_mtim) : wall_ns();
}

/* Returns whether there is a file that must not be replaced. Its time is compared with one of the
 * same clock. One in the future says nothing of when the file was written. */
static bool stays(int folder, const char *name, const struct swi_write_lock_rules *rules,
                  const struct swi_lock_file *file)
{
    enum { TICK_NS = 50000000 }; /* more than a tick, to which the kernel rounds a file's time */
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (rules->fresh)
        return true;
    int64_t now_ns = file_now_ns(file), ahead_ns = now_ns - wall_ns(),
            changed_ns = ns_of(st.st_mtim);
    if (ahead_ns > -TICK_NS && ahead_ns < TICK_NS)
        ahead_ns = 0;
    return changed_ns <= now_ns && changed_ns > rules->since_ns + ahead_ns;
}

/* Returns whether the file is a device, a link or a folder. It is not replaced, so nobody can lose
 * a file. */
static bool is_special(int folder, const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode);
}

static void byte_release(struct swi_write_locks *locks, struct swi_lock_file *file, int64_t byte)
{
    bool kept = byte >= file->from && byte < file->end;
    if (!kept && is_ours(file))
        byte_lock(file->fd, byte, 1, F_UNLCK);
    if (!file->holds && file->from == file->end)
        lock_file_remove(locks, file);
}

/* Tries the path of hold. Returns whether it is held now. */
static bool try_path(struct swi_write_locks *locks, struct swi_write_lock *hold, int folder,
                     const struct swi_write_lock_rules *rules)
{
    const char *name = name_of(hold->path);
    struct swi_lock_file *file = NULL;
    char *lock = swi_lock_name(name, &hold->byte);
    int rc = lock ? lock_take(locks, folder, lock, hold->byte, &file) : NO_LOCKS;
    free(lock);
    if (rc == HELD)
        return false;
    bool written = rc == TAKEN && hold->byte >= file->from && hold->byte < file->end;
    if (!written && stays(folder, name, rules, rc == TAKEN ? file : NULL)) {
        if (rc == TAKEN)
            byte_release(locks, file, hold->byte);
        return false;
    }
    hold->file = rc == TAKEN ? file : NULL;
    if (hold->file)
        hold->file->holds++;
    return true;
}

/* Returns false if every name is taken, or if memory runs out. */
static bool find_name(struct swi_write_locks *locks, struct swi_write_lock *hold, int folder,
                      const struct swi_write_lock_rules *rules)
{
    for (int n = 1; n <= TRIES; n++) {
        free(hold->path);
        hold->path = swi_numbered_name(hold->wanted, n);
        if (!hold->path)
            return false;
        if ((n == 1 && is_special(folder, name_of(hold->path))) ||
            try_path(locks, hold, folder, rules))
            return true;
    }
    return false;
}

static void hold_free(struct swi_write_lock *hold)
{
    free(hold->wanted);
    free(hold->path);
    free(hold);
}

static struct swi_write_lock *hold_new(const char *path)
{
    struct swi_write_lock *hold = calloc(1, sizeof *hold);
    if (!hold)
        return NULL;
    hold->wanted = strdup(path);
    hold->path = strdup(path);
    if (hold->wanted && hold->path)
        return hold;
    hold_free(hold);
    return NULL;
}

struct swi_write_lock *swi_write_lock_find(const struct swi_write_locks *locks, const char *path)
{
    struct swi_write_lock *hold = locks->held;
    while (hold && strcmp(hold->wanted, path) != 0)
        hold = hold->next;
    return hold;
}

struct swi_write_lock *swi_write_lock_take(struct swi_write_locks *locks, const char *path,
                                           const struct swi_write_lock_rules *rules)
{
    SW_ERROR_SCOPE(ignored);
    struct swi_walk walk = {.make = true, .folder = -1};
    struct swi_write_lock *hold = swi_write_lock_find(locks, path);
    if (hold)
        return hold;
    hold = hold_new(path);
    bool fine = hold;
    /* The code that writes the file reports what is wrong with the path. */
    if (hold && swi_walk_begin(&walk, path, &ignored) == 0 &&
        swi_walk_to_last(&walk, &ignored) == 0 && *walk.rest)
        fine = find_name(locks, hold, walk.folder, rules);
    swi_walk_end(&walk);
    if (!fine) {
        if (hold)
            hold_free(hold);
        return NULL;
    }
    hold->next = locks->held;
    locks->held = hold;
    return hold;
}

/* Adds a byte to those that need no memory: the names of fits follow each other. */
static bool byte_keep(struct swi_lock_file *file, int64_t byte)
{
    if (file->from == file->end)
        file->from = file->end = byte;
    if (byte == file->end)
        file->end++;
    return byte >= file->from && byte < file->end;
}

/* The oldest locked files are those of the sink's own path. */
static bool is_old(const struct swi_lock_file *file)
{
    int older = 0;
    for (const struct swi_lock_file *next = file->next; next; next = next->next)
        older++;
    return older < FILES_KEPT;
}

/* Returns where a held path is in the list, or where the list ends. */
static struct swi_write_lock **place_of(struct swi_write_locks *locks, const char *path)
{
    struct swi_write_lock **at = &locks->held;
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    return at;
}

static void lock_leave(struct swi_write_locks *locks, struct swi_write_lock *hold)
{
    if (!hold->file)
        return;
    hold->file->holds--;
    byte_release(locks, hold->file, hold->byte);
    hold->file = NULL;
}

static void hold_remove(struct swi_write_locks *locks, struct swi_write_lock **at)
{
    struct swi_write_lock *hold = *at;
    *at = hold->next;
    lock_leave(locks, hold);
    hold_free(hold);
}

void swi_write_lock_done(struct swi_write_locks *locks, const char *path)
{
    struct swi_write_lock **at = place_of(locks, path), *hold = *at;
    if (!hold || !hold->file)
        return;
    if (!is_old(hold->file))
        lock_leave(locks, hold);
    else if (strcmp(hold->path, hold->wanted) == 0 && byte_keep(hold->file, hold->byte))
        hold_remove(locks, at);
}

void swi_write_lock_release(struct swi_write_locks *locks, const char *path)
{
    struct swi_write_lock **at = place_of(locks, path);
    if (*at)
        hold_remove(locks, at);
}

void swi_write_locks_free(struct swi_write_locks *locks)
{
    for (struct swi_write_lock *hold = locks->held, *next; hold; hold = next) {
        next = hold->next;
        hold_free(hold);
    }
    for (struct swi_lock_file *file = locks->files, *next; file; file = next) {
        next = file->next;
        lock_file_free(file);
    }
    *locks = (struct swi_write_locks){0};
}
