/* SPDX-License-Identifier: MIT */
/* place.c - which directory a run gets. Two processes must not write one run: TensorBoard would
 * show a mixture of both, and parts of neither. */
#include "sinks/common/started.h"
#include "sinks/tensorboard/state.h"
#include "sinks/tensorboard/writer/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 10000 };

/* RUN, or with an n above 1 RUN_n. */
static int directory_name(struct tensorboard *t, const char *run, int n, struct sw_error *err)
{
    char base[4096];
    int rc = sw_sink_resolve(t->sink, t->logdir, base, sizeof base, err);
    if (rc < 0)
        return rc;
    char number[16] = "";
    if (n > 1)
        snprintf(number, sizeof number, "_%d", n);
    int size = snprintf(t->directory, sizeof t->directory, "%s/%s%s", base, run, number);
    if (size < 0 || (size_t)size >= sizeof t->directory)
        return sw_error_set(err, SW_EINVAL, "the path of the run %.64s is longer than %zu bytes",
                            run, sizeof t->directory - 1);
    return 0;
}

/* Holds the directory until the process ends, however that happens. Returns 1 where another process
 * has it. */
static int claim(struct tensorboard *t)
{
    int fd = open(t->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        close(fd);
        return 1;
    }
    /* A file system without locks cannot tell; then it is as if nobody else were there. */
    t->claim = fd;
    return 0;
}

/* The default name must be new as well as free: an older run of that second may have ended. */
static int make_new(struct tensorboard *t, struct sw_error *err)
{
    char parent[4096];
    snprintf(parent, sizeof parent, "%s", t->directory);
    *strrchr(parent, '/') = '\0';
    int rc = swi_tb_directory_make(parent, err);
    if (rc < 0)
        return rc;
    if (mkdir(t->directory, 0777) == 0)
        return claim(t);
    if (errno == EEXIST)
        return 1;
    return sw_error_set(err, SW_EIO, "cannot make the directory %s: %s", t->directory,
                        strerror(errno));
}

static int make_or_resume(struct tensorboard *t, struct sw_error *err)
{
    int rc = swi_tb_directory_make(t->directory, err);
    return rc < 0 ? rc : claim(t);
}

static void default_run(const struct tensorboard *t, char *run, size_t size)
{
    char date[32];
    swi_started(t->sink->run, "%Y-%m-%d_%H-%M-%S", date, sizeof date);
    snprintf(run, size, "%s_%s", date, t->sink->run->host);
    for (char *c = run; *c; c++)
        *c = *c == '/' ? '_' : *c;
}

static void say_taken(struct tensorboard *t, int n)
{
    if (n > 1 && *t->run)
        sw_sink_say(t->sink, SW_WARNING,
                    "another process is writing the run %s: this one goes to %s", t->run,
                    t->directory);
}

int place_open(struct tensorboard *t, struct sw_error *err)
{
    char run[512];
    t->claim = -1;
    default_run(t, run, sizeof run);
    for (int n = 1; n <= TRIES; n++) {
        int rc = directory_name(t, *t->run ? t->run : run, n, err);
        if (rc == 0)
            rc = *t->run ? make_or_resume(t, err) : make_new(t, err);
        if (rc <= 0) {
            if (rc == 0)
                say_taken(t, n);
            return rc;
        }
    }
    return sw_error_set(err, SW_EIO, "no name is free for a run in %s", t->logdir);
}

void place_close(struct tensorboard *t)
{
    if (t->claim >= 0)
        close(t->claim);
    t->claim = -1;
}
