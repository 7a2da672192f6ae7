/* SPDX-License-Identifier: MIT */
/* run_directory.c - chooses the directory of a run. Two processes must not write the same run,
 * because TensorBoard would show an incomplete mixture of both. */
#include "sinks/tensorboard/run_directory.h"
#include "core/text/io_code.h"

#include "sinks/common/start_time.h"
#include "sinks/tensorboard/run_lock.h"
#include "sinks/tensorboard/tensorboard_sink.h"
#include "sinks/tensorboard/writer/directory.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
        *c = *c == '/' || (*c == '.' && c == run) ? '_' : *c;
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
