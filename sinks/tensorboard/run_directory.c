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
#include <unistd.h>

/* ---- keeps other profilers out of a run ------------------------------------------------------ */

/* Only one profiler writes a run: it has locked a file in the run's folder. The lock is that of an
 * open file, and ends with it. A child has the file open, too, and would hold the lock for as long
 * as it lives. */

enum { RUNS = 64 };
static struct swi_locked_file locked[RUNS];

static void child_close(void)
{
    swi_locked_close_all(locked, RUNS);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, child_close);
}

static bool is_same_file(int fd, const char *path)
{
    struct stat named;
    struct swi_identity identity = swi_identity_of(fd);
    return lstat(path, &named) == 0 && named.st_dev == identity.device &&
           named.st_ino == identity.inode;
}

static void lock_path(const struct tensorboard *t, char path[sizeof t->directory + 8])
{
    snprintf(path, sizeof t->directory + 8, "%s/.lock", t->directory);
}

/* Returns 1 if another profiler writes the run. On a file system without locks, assumes that none
 * does. */
static int claim_take(struct tensorboard *t)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[sizeof t->directory + 8];
    int fd;
    lock_path(t, path);
    for (;;) {
        fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
        if (fd < 0)
            return 0;
        if (fcntl(fd, F_OFD_SETLK, &whole) < 0) {
            bool anothers = swi_lock_is_anothers(fd, &whole);
            close(fd);
            return anothers;
        }
        /* If its owner has removed it meanwhile, the lock is on a file that nobody finds. */
        if (is_same_file(fd, path))
            break;
        close(fd);
    }
    pthread_once(&once, watch_forks);
    swi_locked_add(locked, RUNS, fd);
    t->claim = (struct claim){true, fd, swi_identity_of(fd)};
    return 0;
}

void run_directory_close(struct tensorboard *t)
{
    char path[sizeof t->directory + 8];
    if (!t->claim.held)
        return;
    lock_path(t, path);
    if (is_same_file(t->claim.fd, path))
        unlink(path);
    swi_locked_remove(locked, RUNS, t->claim.fd);
    swi_identity_close(&t->claim.identity, t->claim.fd);
    t->claim.held = false;
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
        return claim_take(t);
    if (errno == EEXIST)
        return 1;
    return sw_error_set(err, swi_io_code(errno), "cannot create the directory %s: %s", t->directory,
                        strerror(errno));
}

static int make_or_resume(struct tensorboard *t, struct sw_error *err)
{
    int rc = swi_tb_directory_make(t->directory, err);
    if (rc == 0)
        rc = claim_take(t);
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

void run_directory_leave(struct tensorboard *t)
{
    run_directory_close(t);
    rmdir(t->directory);
}
