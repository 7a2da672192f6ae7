/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/leveldb_log.h"
#include "core/text/digest.h"
#include "core/text/io_code.h"
#include "core/text/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 32768, HEAD = 7 };
enum { FULL = 1, FIRST, MIDDLE, LAST };

/* ":W&B", a magic number, version 0. The header counts as part of the first block. */
static const unsigned char file_head[] = {0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00};

/* ---- framing --------------------------------------------------------------------------------- */

static void put(struct swi_wandb_log *log, const void *bytes, size_t size)
{
    if (size)
        memcpy(log->buffer + log->size, bytes, size);
    log->size += size;
    log->offset += size;
}

static void put_chunk(struct swi_wandb_log *log, int type, const unsigned char *bytes, size_t size)
{
    unsigned char head[HEAD] = {
        0, 0, 0, 0, (unsigned char)size, (unsigned char)(size >> 8), (unsigned char)type};
    uint32_t crc = swi_crc32(swi_crc32(0, &head[6], 1), bytes, size);
    for (int i = 0; i < 4; i++)
        head[i] = (unsigned char)(crc >> (8 * i));
    put(log, head, HEAD);
    put(log, bytes, size);
}

static void pad(struct swi_wandb_log *log)
{
    static const unsigned char zeros[HEAD];
    size_t left = BLOCK - log->offset % BLOCK;
    if (left < HEAD)
        put(log, zeros, left);
}

static bool reserve(struct swi_wandb_log *log, size_t size)
{
    size_t needed = log->size + size + (size / (BLOCK - HEAD) + 2) * 2 * HEAD;
    if (needed > (size > SWI_LOG_HELD / 4 ? SWI_LOG_HELD_LONG : SWI_LOG_HELD))
        return false;
    if (needed <= log->capacity)
        return true;
    size_t capacity = needed * 2 < SWI_LOG_ENOUGH ? SWI_LOG_ENOUGH : needed * 2;
    unsigned char *buffer = realloc(log->buffer, capacity);
    if (!buffer)
        return false;
    log->buffer = buffer;
    log->capacity = capacity;
    return true;
}

static void draft_drop(struct swi_wandb_log *log)
{
    log->size -= log->draft;
    log->offset -= log->draft;
    log->draft = 0;
}

static void frame(struct swi_wandb_log *log, const unsigned char *bytes, size_t size)
{
    bool first = true;
    do {
        pad(log);
        size_t room = BLOCK - log->offset % BLOCK - HEAD;
        bool last = size <= room;
        size_t n = last ? size : room;
        put_chunk(log, first ? (last ? FULL : FIRST) : (last ? LAST : MIDDLE), bytes, n);
        bytes += n;
        size -= n;
        first = false;
        if (last)
            return;
    } while (true);
}

bool swi_wandb_log_repeat(struct swi_wandb_log *log, const void *record, size_t size)
{
    draft_drop(log);
    if (!reserve(log, size))
        return false;
    frame(log, record, size);
    return true;
}

bool swi_wandb_log_add(struct swi_wandb_log *log, const void *record, size_t size)
{
    bool added = swi_wandb_log_repeat(log, record, size);
    log->records += added;
    return added;
}

void swi_wandb_log_draft_more(struct swi_wandb_log *log, const void *record, size_t size)
{
    size_t before = log->size;
    if (!reserve(log, size))
        return;
    frame(log, record, size);
    log->draft += log->size - before;
}

void swi_wandb_log_draft(struct swi_wandb_log *log, const void *record, size_t size)
{
    draft_drop(log);
    swi_wandb_log_draft_more(log, record, size);
}

/* Copies one record, which may be in several chunks, to `record`. Returns its size and advances
 * `at`. */
static size_t unframe(const struct swi_wandb_log *log, size_t *at, unsigned char *record)
{
    uint64_t base = log->offset - log->size;
    size_t size = 0;
    for (int type = FIRST; type == FIRST || type == MIDDLE;) {
        size_t left = BLOCK - (base + *at) % BLOCK;
        *at += left < HEAD ? left : 0;
        const unsigned char *head = log->buffer + *at;
        size_t n = (size_t)head[4] | (size_t)head[5] << 8;
        type = head[6];
        memcpy(record + size, head + HEAD, n);
        size += n;
        *at += HEAD + n;
    }
    return size;
}

void swi_wandb_log_each(const struct swi_wandb_log *log,
                        bool (*take)(void *arg, const unsigned char *record, size_t size),
                        void *arg)
{
    /* The file's header is not a record. */
    size_t at = log->offset == log->size ? sizeof file_head : 0, end = log->size - log->draft;
    unsigned char *record = at < end ? malloc(log->size) : NULL;
    for (bool on = record != NULL; on && at < end;) {
        size_t size = unframe(log, &at, record);
        on = take(arg, record, size);
    }
    free(record);
}

/* ---- forks --------------------------------------------------------------------------------------
 * A child has the open file too, and would hold its lock for as long as it lives.
 */

static struct swi_locked_file open_logs[64];
enum { LOGS = sizeof open_logs / sizeof *open_logs };

static void child_close(void)
{
    swi_locked_close_all(open_logs, LOGS);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, child_close);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Locks the part that may still change, from the end of the last whole record on. The lock belongs
 * to the open file and not to the process, so a reader in the same program does not end it. If a
 * file system has no locks, readers just cannot see that the run is live. */
static void lock_from(const struct swi_wandb_log *log, uint64_t offset)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset};
    struct flock free_part = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_len = (off_t)offset};
    fcntl(log->fd, F_OFD_SETLK, &lock);
    if (offset)
        fcntl(log->fd, F_OFD_SETLK, &free_part);
}

int swi_wandb_log_open(struct swi_wandb_log *log, const char *path, struct sw_error *err)
{
    *log = (struct swi_wandb_log){.fd = -1};
    if (!reserve(log, sizeof file_head))
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory to write it", path);
    log->path = strdup(path);
    log->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (log->fd < 0 || !log->path) {
        int rc = sw_error_set(err, swi_io_code(errno), "%s: cannot be created: %s", path,
                              strerror(errno));
        free(log->buffer);
        free(log->path);
        return rc;
    }
    log->identity = swi_identity_of(log->fd);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    swi_locked_add(open_logs, LOGS, log->fd);
    lock_from(log, 0);
    put(log, file_head, sizeof file_head);
    return 0;
}

uint64_t swi_wandb_log_settled(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    bool live = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    return live ? (uint64_t)lock.l_start : UINT64_MAX;
}

bool swi_wandb_log_is_live(const char *path)
{
    SWI_CLOSED int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return fd >= 0 && swi_wandb_log_settled(fd) != UINT64_MAX;
}

/* Returns how much of the buffer was written; errno says why it was not all. Uses one write if
 * possible: a process that is killed has made it or not, except at the border of two pages. */
static size_t write_at(const struct swi_wandb_log *log, uint64_t base)
{
    size_t done = 0;
    while (done < log->size) {
        ssize_t n = pwrite(log->fd, log->buffer + done, log->size - done, (off_t)(base + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

/* The lock and the place in the list end when the program closes the descriptor. */
static bool has_file(struct swi_wandb_log *log, uint64_t settled)
{
    struct stat st;
    int before = log->fd;
    bool kept = swi_identity_holds(&log->identity, before, &st);
    if (!kept && !swi_identity_keep(&log->identity, &log->fd, log->path, O_WRONLY, &st))
        return false;
    if (!kept) {
        swi_locked_remove(open_logs, LOGS, before);
        swi_locked_add(open_logs, LOGS, log->fd);
        lock_from(log, settled);
    }
    return true;
}

/* Frees the memory of a burst, or of a full disk. */
static void shrink(struct swi_wandb_log *log)
{
    if (log->capacity <= 4 * SWI_LOG_ENOUGH)
        return;
    free(log->buffer);
    log->buffer = NULL;
    log->capacity = 0;
}

/* Cuts off the rest of an older draft if the new end is shorter. */
static void cut(struct swi_wandb_log *log, uint64_t end)
{
    if (end < log->end && ftruncate(log->fd, (off_t)end) < 0)
        return; /* a reader skips what is not a record */
    log->end = end;
}

int swi_wandb_log_flush(struct swi_wandb_log *log, struct sw_error *err)
{
    uint64_t base = log->offset - log->size, end = log->offset;
    bool there = has_file(log, base), whole = there && write_at(log, base) == log->size;
    int error = errno;
    draft_drop(log);
    if (!whole) {
        /* The file must end with a whole record, so that losses can be counted in the end. */
        if (there && ftruncate(log->fd, (off_t)base) < 0)
            error = errno == EINVAL ? error : errno;
        log->end = there ? base : log->end;
        return sw_error_set(err, SW_EIO, "the run's file cannot be written: %s", strerror(error));
    }
    cut(log, end);
    lock_from(log, log->offset);
    log->size = 0;
    log->records = 0;
    shrink(log);
    return 0;
}

int swi_wandb_log_replace(struct swi_wandb_log *log, struct swi_wandb_log *next,
                          struct sw_error *err)
{
    if (rename(next->path, log->path) < 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be replaced: %s", log->path, strerror(errno));
    /* Whoever still reads the old file must not take its draft for records: the lock ends here. */
    if (has_file(log, log->offset))
        cut(log, log->offset);
    swi_locked_remove(open_logs, LOGS, log->fd);
    swi_identity_close(&log->identity, log->fd);
    free(log->buffer);
    free(next->path);
    next->path = log->path;
    *log = *next;
    *next = (struct swi_wandb_log){.fd = -1};
    return 0;
}

int swi_wandb_log_close(struct swi_wandb_log *log, struct sw_error *err)
{
    int rc = swi_wandb_log_flush(log, err);
    swi_locked_remove(open_logs, LOGS, log->fd);
    if (swi_identity_close(&log->identity, log->fd) < 0 && rc == 0)
        rc = sw_error_set(err, SW_EIO, "the run's file cannot be closed: %s", strerror(errno));
    free(log->buffer);
    free(log->path);
    *log = (struct swi_wandb_log){.fd = -1, .records = log->records};
    return rc;
}
