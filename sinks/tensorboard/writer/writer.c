/* SPDX-License-Identifier: MIT */
/* writer.c - opens, flushes and closes a writer, and takes its records. */
#include "sinks/tensorboard/writer/writer.h"

#include "config.h"
#include "sinks/common/utf8.h"
#include "sinks/tensorboard/writer/arena.h"
#include "sinks/tensorboard/writer/directory.h"
#include "sinks/tensorboard/writer/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FLUSH_S 2.0

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double swi_tb_now(const struct sw_tb *tb)
{
    return isnan(tb->wall_s) ? clock_s() : tb->wall_s;
}

int swi_tb_fail(struct sw_tb *tb, int code, const char *format, ...)
{
    va_list args;
    tb->stats.lost++;
    if (tb->problem.code)
        return code;
    va_start(args, format);
    sw_error_vset(&tb->problem, code, format, args);
    va_end(args);
    return code;
}

/* What went wrong since the last flush, told once. */
static int problem_take(struct sw_tb *tb, struct sw_error *err)
{
    int code = tb->problem.code;
    if (code)
        sw_error_set(err, code, "%s", tb->problem.text);
    tb->problem.code = 0;
    return code;
}

/* ---- records --------------------------------------------------------------------------------- */

static int no_room(struct sw_tb *tb)
{
    if (errno == ENOMEM)
        return swi_tb_fail(tb, SW_ENOMEM, "no memory for a record of %s", tb->path);
    return swi_tb_fail(tb, SW_EIO, "cannot write to %s: %s", tb->path, strerror(errno));
}

uint8_t *swi_tb_reserve(struct sw_tb *tb, size_t size, int *rc)
{
    if (size > SWI_TB_PAYLOAD_MAX) {
        *rc = swi_tb_fail(tb, SW_EINVAL,
                          "a record of %zu MiB is too large for TensorBoard: 256 MiB are allowed",
                          size >> 20);
        return NULL;
    }
    uint8_t *payload = swi_tb_output_reserve(&tb->output, size);
    *rc = payload ? 0 : no_room(tb);
    return payload;
}

void swi_tb_commit(struct sw_tb *tb, size_t size, double now)
{
    swi_tb_output_commit(&tb->output, size);
    tb->stats.records++;
    tb->stats.bytes += (int64_t)(size + SWI_TB_FRAME);
    /* Also when the clock was set back, or it would be long until the next time. */
    if (now - tb->flushed_s >= tb->flush_s || now < tb->flushed_s) {
        swi_tb_output_write(&tb->output);
        tb->flushed_s = now;
    }
}

int swi_tb_event(struct sw_tb *tb, SwiTb__Event *event)
{
    int rc;
    double now = swi_tb_now(tb);
    event->wall_time = now;
    size_t size = swi_tb__event__get_packed_size(event);
    uint8_t *payload = swi_tb_reserve(tb, size, &rc);
    if (!payload)
        return rc;
    swi_tb__event__pack(event, payload);
    swi_tb_commit(tb, size, now);
    return 0;
}

int sw_tb_start(struct sw_tb *tb, int64_t step)
{
    if (!tb)
        return 0;
    SwiTb__SessionLog log = SWI_TB__SESSION_LOG__INIT;
    SwiTb__Event event = SWI_TB__EVENT__INIT;
    log.status = 1;
    event.step = step;
    event.what_case = SWI_TB__EVENT__WHAT_SESSION_LOG;
    event.session_log = &log;
    return swi_tb_event(tb, &event);
}

int sw_tb_set_time(struct sw_tb *tb, double wall_s)
{
    if (!tb)
        return 0;
    /* TensorBoard drops events of an infinite time, and the rest of a file after one of NAN. */
    if (isinf(wall_s))
        return swi_tb_fail(tb, SW_EINVAL, "an infinite time cannot be set: seconds since 1970 are");
    tb->wall_s = wall_s;
    return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int first_record(struct sw_tb *tb)
{
    static char version[] = "brain.Event:2";
    SwiTb__Source source = SWI_TB__SOURCE__INIT;
    SwiTb__Event event = SWI_TB__EVENT__INIT;
    source.writer = tb->writer;
    event.what_case = SWI_TB__EVENT__WHAT_FILE_VERSION;
    event.file_version = version;
    event.source = &source;
    return swi_tb_event(tb, &event);
}

static int file_open(struct sw_tb *tb, struct sw_error *err)
{
    char *path;
    int fd = swi_tb_file_create(tb->dir, (int64_t)swi_tb_now(tb), tb->suffix, &path, err);
    if (fd < 0)
        return fd;
    int rc = swi_tb_output_init(&tb->output, fd, err);
    if (rc < 0) {
        free(path);
        return rc;
    }
    free(tb->path);
    tb->path = path;
    tb->file++;
    if (first_record(tb) < 0)
        return problem_take(tb, err);
    if (swi_tb_output_write(&tb->output) == 0)
        return 0;
    return sw_error_set(err, SW_EIO, "cannot write to %s: %s", path, strerror(errno));
}

/* Somebody deleted the run while it was written. A new file lets the rest of it be seen. */
static int file_reopen(struct sw_tb *tb, struct sw_error *err)
{
    struct sw_error why;
    struct swi_tb_output old = tb->output;
    char *name = strdup(tb->path);
    int rc = swi_tb_directory_make(tb->dir, &why);
    if (rc == 0)
        rc = file_open(tb, &why);
    if (rc < 0)
        rc = sw_error_set(err, SW_EIO, "%s was deleted while it was written, and %s",
                          name ? name : "the event file", why.text);
    else
        rc = sw_error_set(err, SW_EIO,
                          "%s was deleted while it was written: what was in it is lost, the rest "
                          "goes to %s",
                          name ? name : "the event file", tb->path);
    if (tb->output.fd != old.fd)
        swi_tb_output_fini(&old);
    free(name);
    return rc;
}

/* ---- open, flush, close ---------------------------------------------------------------------- */

static int suffix_check(const char *suffix, struct sw_error *err)
{
    static const char reserved[] = ".profile-empty";
    size_t length = strlen(suffix);
    size_t end = sizeof reserved - 1;
    bool bad = strchr(suffix, '/') || length > 64 || !swi_utf8_is_valid(suffix, length) ||
               (length >= end && strcmp(suffix + length - end, reserved) == 0);
    return bad ? sw_error_set(
                     err, SW_EINVAL,
                     "the suffix of an event file may have 64 bytes, no \"/\", and not end "
                     "in \"%s\"",
                     reserved)
               : 0;
}

/* Frees all but the output. */
static void writer_free(struct sw_tb *tb)
{
    swi_tb_tags_fini(&tb->tags);
    free(tb->point);
    free(tb->dir);
    free(tb->suffix);
    free(tb->writer);
    free(tb->path);
    free(tb);
}

static struct sw_tb *writer_new(const char *dir, const struct sw_tb_options *options)
{
    const char *writer = options->writer ? options->writer : "stepwatch/" PACKAGE_VERSION;
    struct sw_tb *tb = calloc(1, sizeof *tb);
    if (!tb)
        return NULL;
    tb->dir = strdup(dir);
    tb->suffix = strdup(options->suffix ? options->suffix : "");
    tb->writer = swi_tb_utf8_copy(writer, strlen(writer));
    tb->flush_s = options->flush_s > 0 ? options->flush_s : FLUSH_S;
    tb->wall_s = options->wall_s > 0 ? options->wall_s : NAN;
    tb->output.fd = -1;
    if (tb->dir && tb->suffix && tb->writer)
        return tb;
    writer_free(tb);
    return NULL;
}

struct sw_tb *sw_tb_open(const char *dir, const struct sw_tb_options *options, struct sw_error *err)
{
    struct sw_tb_options all = {.size = sizeof all};
    if (options && options->size == 0) {
        sw_error_set(err, SW_EINVAL,
                     "the options of an event file have size 0: sizeof(struct sw_tb_options) is "
                     "expected");
        return NULL;
    }
    if (options)
        memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
    if (!dir || dir[0] == '\0') {
        sw_error_set(err, SW_EINVAL, "an event file needs a directory: the run's");
        return NULL;
    }
    if (all.suffix && suffix_check(all.suffix, err) < 0)
        return NULL;
    struct sw_tb *tb = writer_new(dir, &all);
    if (!tb) {
        sw_error_set(err, SW_ENOMEM, "no memory for a writer of event files");
        return NULL;
    }
    if (swi_tb_directory_make(dir, err) == 0 && file_open(tb, err) == 0) {
        tb->wall_s = NAN;
        return tb;
    }
    if (tb->output.fd >= 0)
        swi_tb_output_fini(&tb->output);
    writer_free(tb);
    return NULL;
}

int sw_tb_flush(struct sw_tb *tb, struct sw_error *err)
{
    if (!tb)
        return 0;
    tb->flushed_s = swi_tb_now(tb);
    int rc = swi_tb_output_write(&tb->output);
    if (rc < 0)
        return sw_error_set(err, SW_EIO, "cannot write to %s: %s", tb->path, strerror(errno));
    if (tb->output.owner == getpid() && swi_tb_output_deleted(&tb->output))
        return file_reopen(tb, err);
    return problem_take(tb, err);
}

/* What a file that refused its end has lost. */
static int close_failed(struct sw_tb *tb, int reason, struct sw_error *err)
{
    int64_t offered = tb->stats.records + tb->stats.lost;
    int64_t lost = tb->output.waiting + tb->stats.lost;
    return sw_error_set(err, SW_EIO,
                        "cannot write to %s: %s; %" PRId64 " of %" PRId64 " records are lost",
                        tb->path, strerror(reason), lost, offered);
}

int sw_tb_close(struct sw_tb *tb, struct sw_error *err)
{
    if (!tb)
        return 0;
    int rc = 0;
    if (swi_tb_output_write(&tb->output) < 0)
        rc = close_failed(tb, errno, err);
    else
        rc = problem_take(tb, err);
    if (swi_tb_output_fini(&tb->output) < 0 && rc == 0)
        rc = sw_error_set(err, SW_EIO, "cannot close %s: %s", tb->path, strerror(errno));
    writer_free(tb);
    return rc;
}

const char *sw_tb_path(const struct sw_tb *tb)
{
    return tb ? tb->path : "";
}

void sw_tb_stats(const struct sw_tb *tb, struct sw_tb_stats *stats)
{
    *stats = tb ? tb->stats : (struct sw_tb_stats){0};
    if (!tb)
        return;
    stats->waiting = tb->output.waiting;
    stats->repaired += (int64_t)tb->tags.repaired;
}
