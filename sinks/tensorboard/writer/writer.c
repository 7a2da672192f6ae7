/* SPDX-License-Identifier: MIT */
/* writer.c - opens, flushes and closes a writer, and takes its records. */
#include "sinks/tensorboard/writer/writer.h"

#include "config.h"
#include "core/text/characters.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- which process a writer belongs to ------------------------------------------------------- */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* A page that is empty in every child, however it was made: _Fork() and clone() do not call the
 * handlers of pthread_atfork(). */
static void tb_process_init(struct swi_tb_process *process)
{
    *process = (struct swi_tb_process){.pid = getpid()};
#ifdef MADV_WIPEONFORK
    char *page =
        mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, page_size(), MADV_WIPEONFORK) < 0) {
        munmap(page, page_size());
        return;
    }
    *page = 1;
    process->page = page;
#endif
}

static void tb_process_fini(struct swi_tb_process *process)
{
    if (process->page)
        munmap((void *)(uintptr_t)process->page, page_size());
    process->page = NULL;
}

/* ---- what the files of the writer share: its state, and how a record gets into it ------------ */

#define FLUSH_S 2.0

/* ---- records --------------------------------------------------------------------------------- */

/* Continues in another file. The next flush reports it. */
static int reopen(struct sw_tb *tb)
{
    SW_ERROR_SCOPE(why);
    int rc = swi_tb_file_reopen(tb, &why);
    swi_tb_problem_add(tb, &why);
    return rc;
}

static int reopen_if_deleted(struct sw_tb *tb)
{
    return swi_tb_output_deleted(&tb->output) ? reopen(tb) : 0;
}

/* Returns 0, or -1 with errno. */
static int output_write(struct sw_tb *tb)
{
    pthread_mutex_lock(&tb->flusher.lock);
    int rc = swi_tb_output_write(&tb->output);
    int reason = errno;
    pthread_mutex_unlock(&tb->flusher.lock);
    errno = reason;
    return rc;
}

void swi_tb_commit(struct sw_tb *tb, size_t size, double now)
{
    if (!swi_tb_append(tb, size, now))
        return;
    tb->flushed_s = now;
    /* What a disk refuses is tried again and reported by the next flush. */
    if (reopen_if_deleted(tb) == 0)
        output_write(tb);
}

int sw_tb_start(struct sw_tb *tb, int64_t step)
{
    if (!swi_tb_usable(tb))
        return 0;
    int rc = 0;
    SWI_FREED struct swi_text event = {0}, log = {0};
    double now = swi_tb_now(tb);
    swi_tb_event_begin(&event, now, step);
    swi_wire_add_number(&log, 1, 1);
    swi_wire_add_message(&event, SWI_TB_EVENT_SESSION_LOG, &log);
    if (swi_tb_event_put(tb, &event, &rc))
        swi_tb_commit(tb, event.size, now);
    return rc;
}

int sw_tb_set_time(struct sw_tb *tb, double wall_s)
{
    if (!swi_tb_usable(tb))
        return 0;
    /* TensorBoard drops events of an infinite time, and the rest of a file after one of NAN. */
    if (isinf(wall_s))
        return swi_tb_fail(tb, SW_EINVAL, "the time is not finite: expected seconds since 1970");
    tb->wall_s = wall_s;
    return 0;
}

/* ---- open, flush, close ---------------------------------------------------------------------- */

static int suffix_check(const char *suffix, struct sw_error *err)
{
    static const char reserved[] = ".profile-empty";
    size_t length = strlen(suffix);
    size_t end = sizeof reserved - 1;
    bool bad = strchr(suffix, '/') || length > 64 || !swi_utf8_is_valid(suffix, length) ||
               (length >= end && strcmp(suffix + length - end, reserved) == 0);
    return bad ? sw_error_set(err, SW_EINVAL,
                              "the suffix of an event file must have at most 64 bytes and no "
                              "\"/\", and must not end in \"%s\"",
                              reserved)
               : 0;
}

/* Frees everything except for the output and the flusher. */
static void writer_free(struct sw_tb *tb)
{
    sw_error_free(&tb->problem);
    tb_process_fini(&tb->process);
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
    tb->writer = swi_utf8_repair(writer, strlen(writer));
    tb->flush_s = options->flush_s > 0 ? options->flush_s : FLUSH_S;
    tb->wall_s = options->wall_s > 0 ? options->wall_s : NAN;
    if (tb->dir && tb->suffix && tb->writer &&
        swi_tb_flusher_init(&tb->flusher, &tb->output, tb->flush_s) == 0) {
        tb_process_init(&tb->process);
        return tb;
    }
    writer_free(tb);
    return NULL;
}

struct sw_tb *sw_tb_open(const char *dir, const struct sw_tb_options *options, struct sw_error *err)
{
    struct sw_tb_options all = {.size = sizeof all};
    if (options && options->size == 0) {
        sw_error_set(
            err, SW_EINVAL,
            "the options of an event file have size 0: expected sizeof(struct sw_tb_options)");
        return NULL;
    }
    if (options)
        memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
    if (!dir || dir[0] == '\0') {
        sw_error_set(
            err, SW_EINVAL,
            "the directory of the event file is missing: expected the directory of the run");
        return NULL;
    }
    if (all.suffix && suffix_check(all.suffix, err) < 0)
        return NULL;
    struct sw_tb *tb = writer_new(dir, &all);
    if (!tb) {
        sw_error_set(err, SW_ENOMEM, "not enough memory for a writer of event files");
        return NULL;
    }
    struct swi_tb_output none;
    if (swi_tb_directory_make(dir, err) == 0 && swi_tb_file_open(tb, &none, err) == 0) {
        tb->flushed_s = swi_tb_now(tb);
        tb->wall_s = NAN;
        return tb;
    }
    swi_tb_flusher_fini(&tb->flusher);
    writer_free(tb);
    return NULL;
}

int sw_tb_flush(struct sw_tb *tb, struct sw_error *err)
{
    if (!swi_tb_usable(tb))
        return 0;
    tb->flushed_s = swi_tb_now(tb);
    if (reopen_if_deleted(tb) == 0 && output_write(tb) < 0)
        return sw_error_set(err, SW_EIO, "cannot write to %s: %s", tb->path, strerror(errno));
    return swi_tb_problem_take(tb, err);
}

/* ---- close ----------------------------------------------------------------------------------- */

/* What was lost because the file could not be completed. */
static int close_failed(struct sw_tb *tb, int reason, struct sw_error *err)
{
    int64_t offered = tb->stats.records + tb->stats.lost;
    int64_t lost = tb->output.waiting + tb->stats.lost;
    return sw_error_set(err, SW_EIO,
                        "cannot write to %s: %s; %" PRId64 " of %" PRId64 " records are lost",
                        tb->path, strerror(reason), lost, offered);
}

/* Makes no other file if there is nothing to write into it. */
static int close_deleted(struct sw_tb *tb)
{
    SW_ERROR_SCOPE(why);
    if (tb->output.used > 0)
        return reopen(tb);
    sw_error_set(&why, SW_EIO, "%s was deleted while it was being written: its content is lost",
                 tb->path);
    swi_tb_problem_add(tb, &why);
    return 0;
}

/* Writes the rest. The thread has ended. */
static int close_write(struct sw_tb *tb, struct sw_error *err)
{
    int rc = swi_tb_output_deleted(&tb->output) ? close_deleted(tb) : 0;
    if (rc == 0 && swi_tb_output_write(&tb->output) < 0)
        return close_failed(tb, errno, err);
    return swi_tb_problem_take(tb, err);
}

/* Called in a child. If a thread of the parent was just changing the writer, its memory is not
 * freed. */
static void copy_close(struct sw_tb *tb)
{
    if (pthread_mutex_trylock(&tb->flusher.lock) != 0)
        return;
    swi_tb_output_fini(&tb->output);
    writer_free(tb);
}

int sw_tb_close(struct sw_tb *tb, struct sw_error *err)
{
    if (!tb)
        return 0;
    if (!swi_tb_usable(tb)) {
        copy_close(tb);
        return 0;
    }
    swi_tb_flusher_stop(&tb->flusher);
    int rc = close_write(tb, err);
    if (swi_tb_output_fini(&tb->output) < 0 && rc == 0)
        rc = sw_error_set(err, SW_EIO, "cannot close %s: %s", tb->path, strerror(errno));
    swi_tb_flusher_fini(&tb->flusher);
    writer_free(tb);
    return rc;
}

const char *sw_tb_path(const struct sw_tb *tb)
{
    return tb ? tb->path : "";
}

void sw_tb_stats(const struct sw_tb *tb, struct sw_tb_stats *stats)
{
    *stats = (struct sw_tb_stats){0};
    if (!swi_tb_usable(tb))
        return;
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&tb->flusher.lock;
    *stats = tb->stats;
    pthread_mutex_lock(lock);
    stats->waiting = tb->output.waiting;
    pthread_mutex_unlock(lock);
    stats->repaired += (int64_t)tb->tags.repaired;
}
