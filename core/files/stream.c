/* SPDX-License-Identifier: MIT */
#include "core/files/file.h"
#include "core/files/identity.h"
#include "core/text/io_code.h"
#include "core/text/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* stdio takes its own, smaller size if it allocates the buffer. */
enum { BUFFER = 1 << 16 };

struct swi_stream {
    FILE *file;
    char *buffer; /* that of stdio */
    int fd;       /* -1: stdout */
    struct swi_identity identity;
    char *path;
    pid_t process;
    pthread_t thread;
    int64_t written; /* bytes written, up to the end of the last whole line */
    int64_t torn;    /* bytes written after that */
    char *held;
    size_t held_size;
    size_t held_whole; /* up to the end of the last whole line in it */
    bool skipping;     /* the rest of a line is dropped */
    int64_t lost;      /* lines */
    int64_t lines;     /* written */
    bool removed;      /* its name was removed: nobody can read the file any more */
    char *head;        /* written first after the file was truncated */
    size_t head_size;
    int error; /* errno of the last failed write; 0 once one succeeded */
};

/* ---- writing --------------------------------------------------------------------------------- */

enum { LANES = 32, ROWS_MAX = 255 };

/* Counts in up to ROWS_MAX rows of LANES bytes, each lane in a byte of its own: compilers make
 * vector instructions of that. */
static int64_t lines_in_rows(const char *text, size_t rows)
{
    uint8_t lane[LANES] = {0};
    int64_t lines = 0;
    for (; rows; rows--, text += LANES)
        for (int i = 0; i < LANES; i++)
            lane[i] += text[i] == '\n';
    for (int i = 0; i < LANES; i++)
        lines += lane[i];
    return lines;
}

static int64_t lines_in(const char *text, size_t size)
{
    int64_t lines = 0;
    while (size >= LANES) {
        size_t rows = size / LANES < ROWS_MAX ? size / LANES : ROWS_MAX;
        lines += lines_in_rows(text, rows);
        text += rows * LANES;
        size -= rows * LANES;
    }
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

static void count_written(struct swi_stream *stream, const char *text, size_t size)
{
    const char *newline = memrchr(text, '\n', size);
    stream->lines += lines_in(text, size);
    size_t whole = newline ? (size_t)(newline + 1 - text) : 0;
    if (newline) {
        stream->written += stream->torn + (int64_t)whole;
        stream->torn = 0;
    }
    stream->torn += (int64_t)(size - whole);
}

/* Returns how much of text was written. */
static size_t put_text(struct swi_stream *stream, const char *text, size_t size)
{
    size_t done =
        stream->fd < 0 ? swi_stdout_write(text, size) : swi_fd_write(stream->fd, text, size);
    stream->error = done < size ? errno : 0;
    count_written(stream, text, done);
    return done;
}

/* Returns whether the descriptor is the stream's file, which it may have to open again. */
static bool has_file(struct swi_stream *stream, struct stat *st)
{
    return swi_identity_keep(&stream->identity, &stream->fd, stream->path, O_WRONLY | O_APPEND, st);
}

/* Returns whether the file is shorter than what was written to it. */
static bool is_shorter(const struct swi_stream *stream, const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_size < stream->written + stream->torn;
}

static size_t put(struct swi_stream *stream, const char *text, size_t size)
{
    struct stat st;
    bool to_file = stream->fd >= 0;
    if (to_file && !has_file(stream, &st)) {
        stream->error = EBADF;
        return 0;
    }
    if (to_file && is_shorter(stream, &st)) {
        stream->written = stream->torn = 0;
        if (stream->head)
            put_text(stream, stream->head, stream->head_size);
    }
    size_t done = put_text(stream, text, size);
    bool closed_since = to_file && stream->error == EBADF;
    if (closed_since && has_file(stream, &st))
        done += put_text(stream, text + done, size - done);
    return done;
}

static void put_held(struct swi_stream *stream)
{
    size_t done = put(stream, stream->held, stream->held_size);
    memmove(stream->held, stream->held + done, stream->held_size - done);
    stream->held_size -= done;
    stream->held_whole -= done < stream->held_whole ? done : stream->held_whole;
}

static bool held_add(struct swi_stream *stream, const char *text, size_t size)
{
    if (!stream->held)
        stream->held = malloc(SWI_STREAM_HELD);
    if (!stream->held || SWI_STREAM_HELD - stream->held_size < size)
        return false;
    memcpy(stream->held + stream->held_size, text, size);
    stream->held_size += size;
    return true;
}

/* Keeps a line or a part of one. A line that does not fit is dropped as a whole. */
static void hold_line(struct swi_stream *stream, const char *text, size_t size)
{
    bool ends = text[size - 1] == '\n';
    if (!stream->skipping && !held_add(stream, text, size)) {
        stream->held_size = stream->held_whole;
        stream->skipping = true;
    }
    if (ends && stream->skipping)
        stream->lost++;
    else if (ends)
        stream->held_whole = stream->held_size;
    stream->skipping = stream->skipping && !ends;
}

static void hold(struct swi_stream *stream, const char *text, size_t size)
{
    while (size) {
        const char *newline = memchr(text, '\n', size);
        size_t n = newline ? (size_t)(newline + 1 - text) : size;
        hold_line(stream, text, n);
        text += n;
        size -= n;
    }
}

static bool is_owner(const struct swi_stream *stream)
{
    return pthread_equal(pthread_self(), stream->thread) && getpid() == stream->process;
}

/* stdio passes its buffer when it is full. An incomplete line at its end waits for the rest, so
 * that the file ends with a whole line even if the program is killed or the file is truncated. A
 * part that is too long to be kept is written at once. */
static size_t whole_lines(struct swi_stream *stream, const char *text, size_t size)
{
    const char *newline = memrchr(text, '\n', size);
    if (!stream->held)
        stream->held = malloc(SWI_STREAM_HELD);
    size_t whole = newline ? (size_t)(newline + 1 - text) : 0;
    return stream->fd < 0 || !stream->held || size - whole > SWI_STREAM_HELD ? size : whole;
}

/* Called by stdio. Always accepts all of text, because stdio discards what failed. */
static ssize_t on_write(void *cookie, const char *text, size_t size)
{
    struct swi_stream *stream = cookie;
    if (!is_owner(stream))
        return (ssize_t)size;
    if (stream->held_size)
        put_held(stream);
    bool wait = stream->held_size || stream->skipping;
    size_t done = wait ? 0 : put(stream, text, whole_lines(stream, text, size));
    hold(stream, text + done, size - done);
    return (ssize_t)size;
}

/* ---- opening and closing --------------------------------------------------------------------- */

struct swi_stream *swi_stream_new(int fd, const char *path)
{
    struct swi_stream *stream = calloc(1, sizeof *stream);
    cookie_io_functions_t functions = {.write = on_write};
    if (!stream)
        return NULL;
    stream->path = strdup(path);
    stream->buffer = malloc(BUFFER);
    bool ready = stream->path && stream->buffer;
    stream->file = ready ? fopencookie(stream, "w", functions) : NULL;
    if (!stream->file) {
        free(stream->buffer);
        free(stream->path);
        free(stream);
        return NULL;
    }
    stream->fd = fd;
    stream->identity = swi_identity_of(fd);
    stream->process = getpid();
    stream->thread = pthread_self();
    /* Other code prints to stdout as well, so lines are written whole. */
    setvbuf(stream->file, stream->buffer, fd < 0 ? _IOLBF : _IOFBF, BUFFER);
    return stream;
}

FILE *swi_stream_file(const struct swi_stream *stream)
{
    return stream->file;
}

int swi_stream_head(struct swi_stream *stream, const char *text, size_t size)
{
    char *head = realloc(stream->head, size + 1);
    if (!head)
        return SW_ENOMEM;
    memcpy(head, text, size);
    stream->head = head;
    stream->head_size = size;
    return 0;
}

static bool is_removed(const struct swi_stream *stream)
{
    struct stat st;
    return swi_identity_holds(&stream->identity, stream->fd, &st) && S_ISREG(st.st_mode) &&
           st.st_nlink == 0;
}

static const char *reason_of(const struct swi_stream *stream)
{
    return stream->fd >= 0 && stream->error == EBADF ? "the program has closed its descriptor"
                                                     : strerror(stream->error);
}

int swi_stream_flush(struct swi_stream *stream, struct sw_error *err)
{
    fflush(stream->file);
    if (stream->held_size)
        put_held(stream);
    stream->removed = stream->removed || is_removed(stream);
    if (stream->removed)
        return sw_error_set(err, SW_EIO,
                            "%s: was removed while it was being written: its lines "
                            "are lost",
                            stream->path);
    if (!stream->error)
        return 0;
    return sw_error_set(err, swi_io_code(stream->error), "%s: cannot be written: %s", stream->path,
                        reason_of(stream));
}

/* Returns whether the file has what was written to it, and nothing of another program, as a stdout
 * that was redirected has. */
static bool may_shorten(const struct swi_stream *stream)
{
    struct stat st;
    return swi_identity_holds(&stream->identity, stream->fd, &st) &&
           st.st_size == stream->written + stream->torn;
}

/* Removes what a failed write left behind. */
static void take_back(struct swi_stream *stream, const struct swi_stream *before)
{
    int reason = stream->error;
    if (may_shorten(stream) && ftruncate(stream->fd, before->written + before->torn) != 0)
        return;
    stream->written = before->written;
    stream->torn = before->torn;
    stream->error = reason;
}

int swi_stream_put(struct swi_stream *stream, const char *data, size_t size, struct sw_error *err)
{
    if (!is_owner(stream))
        return sw_error_set(err, SW_EIO, "%s: belongs to another process", stream->path);
    int rc = swi_stream_flush(stream, err);
    if (rc < 0 && stream->held_size)
        return rc;
    if (stream->removed)
        return rc;
    struct swi_stream before = *stream;
    bool whole = put(stream, data, size) == size;
    stream->lines = before.lines; /* bytes of any kind are no lines */
    if (whole)
        return 0;
    rc = sw_error_set(err, swi_io_code(stream->error), "%s: cannot be written: %s", stream->path,
                      reason_of(stream));
    take_back(stream, &before);
    return rc;
}

/* Removes an incomplete line at the end: it is useless, and a program that appends would make it a
 * wrong line. */
static void take_back_torn(struct swi_stream *stream)
{
    if (stream->held_size && stream->torn && may_shorten(stream) &&
        ftruncate(stream->fd, stream->written) != 0)
        return;
}

int swi_stream_close(struct swi_stream *stream, int64_t *lost, struct sw_error *err)
{
    struct stat st;
    int rc = swi_stream_flush(stream, err);
    fclose(stream->file);
    *lost = stream->lost + (stream->held_size ? lines_in(stream->held, stream->held_size) : 0) +
            (stream->removed ? stream->lines : 0);
    if (swi_identity_holds(&stream->identity, stream->fd, &st)) {
        take_back_torn(stream);
        if (close(stream->fd) != 0 && rc == 0)
            rc = sw_error_set(err, SW_EIO, "%s: cannot be closed: %s", stream->path,
                              strerror(errno));
    }
    free(stream->buffer);
    free(stream->held);
    free(stream->head);
    free(stream->path);
    free(stream);
    return rc;
}
