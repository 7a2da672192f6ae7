/* SPDX-License-Identifier: MIT */
/* run_directory.c - chooses the directory of a run. Two processes must not write the same run,
 * because TensorBoard would show an incomplete mixture of both. */

#include "sinks/tensorboard/tensorboard_sink.h"
#include "core/files/identity.h"
#include "core/text/io_code.h"
#include "sinks/common/file_names.h"
#include "sinks/tensorboard/writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- keeps other processes out of a run ------------------------------------------------------ */

/* Makes sure that only one process writes a run. The claim is an fcntl() lock on a
 * file in the run's folder. Unlike flock(), it ends with the process that took it, even if its
 * children live on. Such locks do not distinguish two profilers of one process, so there is also a
 * list. */

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

static int claim_take(struct claim **claim, const char *directory)
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

static void claim_release(struct claim *claim)
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

/* ---- which directory a run gets -------------------------------------------------------------- */

enum { TRIES = 10000 };

/* Returns RUN, or RUN_n if n is above 1. */
static int directory_name(struct tensorboard *t, const char *logdir, const char *run, int n,
                          struct sw_error *err)
{
    char number[16] = "";
    if (n > 1)
        snprintf(number, sizeof number, "_%d", n);
    int size = snprintf(t->directory, sizeof t->directory, "%s/%s%s", logdir, run, number);
    if (size < 0 || (size_t)size >= sizeof t->directory)
        return sw_error_set(err, SW_EINVAL, "the path of the run %.64s is longer than %zu bytes",
                            run, sizeof t->directory - 1);
    return 0;
}

/* The default name must also be new: an older run of the same second may have ended. */
static int make_new(struct tensorboard *t, struct sw_error *err)
{
    char parent[4096];
    snprintf(parent, sizeof parent, "%s", t->directory);
    *strrchr(parent, '/') = '\0';
    int rc = swi_tb_directory_make(parent, err);
    if (rc < 0)
        return rc;
    if (mkdir(t->directory, 0777) == 0)
        return claim_take(&t->claim, t->directory);
    if (errno == EEXIST)
        return 1;
    return sw_error_set(err, swi_io_code(errno), "cannot create the directory %s: %s", t->directory,
                        strerror(errno));
}

static int make_or_resume(struct tensorboard *t, struct sw_error *err)
{
    int rc = swi_tb_directory_make(t->directory, err);
    if (rc == 0)
        rc = claim_take(&t->claim, t->directory);
    t->resumed = rc == 0 && swi_tb_directory_has_events(t->directory);
    return rc;
}

/* Returns whether there are or may be other ranks. A replay is told where to write. */
static bool has_peers(const struct sw_run *run)
{
    return SW_HAS(run->size, run, id) && !run->replayed &&
           (run->world_size != 1 || !run->rank_certain);
}

/* Each rank of a run has its own folder, beside the others. */
static void rank_add(char *run, size_t size, const struct sw_run *of)
{
    size_t used = strlen(run);
    if (of->rank_certain)
        snprintf(run + used, size - used, "/rank_%" PRId64, of->rank);
    else
        snprintf(run + used, size - used, "/rank_%" PRId64 "-%.200s-%" PRId64, of->rank, of->host,
                 of->pid);
}

static void default_run(const struct tensorboard *t, char *run, size_t size)
{
    const struct sw_run *of = t->sink->run;
    char date[32];
    swi_start_time(of, "%Y-%m-%d_%H-%M-%S", date, sizeof date);
    if (has_peers(of) && *of->id)
        snprintf(run, size, "%s", of->id);
    else
        snprintf(run, size, "%s_%s", date, of->host);
    for (char *c = run; *c; c++)
        *c = *c == '/' || (*c == '.' && c == run) || (unsigned char)*c < 0x20 || *c == 0x7f ? '_'
                                                                                            : *c;
    if (has_peers(of))
        rank_add(run, size, of);
}

void run_directory_say(struct tensorboard *t)
{
    char logdir[4096];
    SW_ERROR_SCOPE(ignored);
    if (sw_sink_resolve(t->sink, t->logdir, logdir, sizeof logdir, &ignored) < 0)
        return;
    if (t->number > 1 && *t->run)
        sw_sink_say(t->sink, SW_WARNING,
                    "another process is writing the run %s: this run goes to %s", t->run,
                    t->directory);
    else
        sw_sink_say(t->sink, SW_NOTE, "the run is in %s: tensorboard --logdir %s", t->directory,
                    logdir);
}

int run_directory_open(struct tensorboard *t, struct sw_error *err)
{
    char run[512], logdir[4096];
    default_run(t, run, sizeof run);
    int resolved = sw_sink_resolve(t->sink, t->logdir, logdir, sizeof logdir, err);
    if (resolved < 0)
        return resolved;
    for (int n = 1; n <= TRIES; n++) {
        int rc = directory_name(t, logdir, *t->run ? t->run : run, n, err);
        if (rc == 0)
            rc = *t->run ? make_or_resume(t, err) : make_new(t, err);
        if (rc == 0)
            t->number = n;
        if (rc <= 0)
            return rc;
    }
    return sw_error_set(err, SW_EIO, "no free name for a run in %s", t->logdir);
}

void run_directory_close(struct tensorboard *t)
{
    claim_release(t->claim);
    t->claim = NULL;
}

void run_directory_leave(struct tensorboard *t)
{
    run_directory_close(t);
    rmdir(t->directory);
}
