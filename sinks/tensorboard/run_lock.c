/* SPDX-License-Identifier: MIT */
/* run_lock.c - makes sure that only one process writes a run. The claim is an fcntl() lock on a
 * file in the run's folder. Unlike flock(), it ends with the process that took it, even if its
 * children live on. Such locks do not distinguish two profilers of one process, so there is also a
 * list. */
#include "sinks/tensorboard/run_lock.h"
#include "core/files/identity.h"

#include "sinks/tensorboard/tensorboard_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A folder that this process writes. If pid differs, it was inherited from the parent by fork(). */
struct claim {
    struct claim *next;
    pid_t pid;
    dev_t device;
    ino_t inode;
    int file;
    struct swi_identity of_file;
    char path[]; /* of the locked file */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct claim *claims;

/* Returns false if the lock is never free: in a child of fork(), it may be held by a thread that
 * does not exist there. */
static bool list_lock(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec++;
    return pthread_mutex_timedlock(&lock, &end) == 0;
}

/* With the lock held. */
static bool is_listed(const struct stat *folder)
{
    for (const struct claim *c = claims; c; c = c->next)
        if (c->device == folder->st_dev && c->inode == folder->st_ino && c->pid == getpid())
            return true;
    return false;
}

static void list_add(struct claim *claim)
{
    claim->next = claims;
    claims = claim;
}

static void list_remove(const struct claim *claim)
{
    struct claim **c = &claims;
    while (*c != claim)
        c = &(*c)->next;
    *c = claim->next;
}

static bool is_same_file(int fd, const char *path)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 && lstat(path, &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/* Returns the locked file, -1 if another process has it, or -2 if the file system has no locks. */
static int file_lock(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
        if (fd < 0)
            return -2;
        if (fcntl(fd, F_SETLK, &whole) < 0) {
            int reason = errno;
            close(fd);
            return reason == EAGAIN || reason == EACCES ? -1 : -2;
        }
        /* If its owner has removed it meanwhile, the lock is on a file that nobody finds. */
        if (is_same_file(fd, path))
            return fd;
        close(fd);
    }
}

static struct claim *claim_new(const char *directory, const struct stat *folder)
{
    size_t size = strlen(directory) + sizeof "/.lock";
    struct claim *claim = calloc(1, sizeof *claim + size);
    if (!claim)
        return NULL;
    claim->pid = getpid();
    claim->device = folder->st_dev;
    claim->inode = folder->st_ino;
    snprintf(claim->path, size, "%s/.lock", directory);
    return claim;
}

/* Call it with the lock. On a file system without locks, assumes that no other process is there. */
static int claim_make(struct claim **made, const char *directory, const struct stat *folder)
{
    struct claim *claim = claim_new(directory, folder);
    if (!claim)
        return 0;
    claim->file = file_lock(claim->path);
    if (claim->file == -1) {
        free(claim);
        return 1;
    }
    claim->of_file = swi_identity_of(claim->file);
    list_add(claim);
    *made = claim;
    return 0;
}

int claim_take(struct claim **claim, const char *directory)
{
    struct stat folder;
    *claim = NULL;
    if (stat(directory, &folder) < 0 || !list_lock())
        return 0;
    /* Checked before the file is opened, because closing it would release the lock of the other
     * profiler. */
    int rc = is_listed(&folder) ? 1 : claim_make(claim, directory, &folder);
    pthread_mutex_unlock(&lock);
    return rc;
}

void claim_release(struct claim *claim)
{
    if (!claim || !list_lock())
        return;
    list_remove(claim);
    if (claim->file >= 0) {
        if (is_same_file(claim->file, claim->path))
            unlink(claim->path);
        swi_identity_close(&claim->of_file, claim->file);
    }
    pthread_mutex_unlock(&lock);
    free(claim);
}
