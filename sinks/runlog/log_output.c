/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/log_output.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>

/* FRAME: text of a frame, before it is ended. WAIT: so many lines are compressed together.
 * HELD_MOST: what waits while the disk is full. PIECE: what is tried at the end of the run. */
enum { FRAME = 256 << 10, WAIT = 64 << 10, HELD_MOST = 1 << 20, PIECE = 4096 };

/* zlib's window bits for a stream with a gzip header and trailer. Steps are alike but for their
 * digits, which happen to be alike in short pieces: with Z_FILTERED, which prefers to code those
 * one by one, a step takes 8 % less, and no more time. */
enum { GZIP_WINDOW = 15 + 16, LEVEL = 6, MEMORY = 8 };

/* The header of a frame: readers find its begin by the extra field. */
struct framing {
    gz_header header;
    unsigned char mark[4];
};

struct swi_frames {
    /* One is in use. A piece is compressed with a copy of it, which takes its place once the piece
     * is written: so a full disk spoils no frame. */
    z_stream stream[2];
    int used;
    struct framing framing;
    size_t inside;         /* text in the open frame */
    struct swi_text lines; /* to be written */
    struct swi_text head;
    size_t since;        /* bytes added since the last try to write */
    int64_t lost;        /* lines */
    char path[PATH_MAX]; /* of a regular file; else "" */
    dev_t device;
    ino_t inode;
    int64_t written; /* bytes */
};

/* ---- frames ---- */

static bool stream_begin(z_stream *stream, struct framing *framing)
{
    memcpy(framing->mark, "SW\0\0", sizeof framing->mark);
    framing->header =
        (gz_header){.os = 3, .extra = framing->mark, .extra_len = sizeof framing->mark};
    return deflateInit2(stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_FILTERED) == Z_OK &&
           deflateSetHeader(stream, &framing->header) == Z_OK;
}

static void frame_begin(struct swi_frames *frames)
{
    z_stream *stream = &frames->stream[frames->used];
    deflateReset(stream);
    deflateSetHeader(stream, &frames->framing.header);
    frames->inside = 0;
}

/* ---- another program truncates the file ---- */

static bool is_truncated(const struct swi_frames *frames)
{
    struct stat st;
    return *frames->path && stat(frames->path, &st) == 0 && st.st_ino == frames->inode &&
           st.st_dev == frames->device && st.st_size < frames->written;
}

/* A frame cannot go on without its begin. */
static void file_begin_again(struct swi_frames *frames)
{
    struct swi_text lines = {0};
    swi_text_add(&lines, frames->head.data, frames->head.size);
    swi_text_add(&lines, frames->lines.data, frames->lines.size);
    swi_text_free(&frames->lines);
    frames->lines = lines;
    frames->written = 0;
    frame_begin(frames);
}

/* ---- pieces of text ---- */

enum { OF_A_FLUSH = 64 };

/* Compresses text up to a place from which a reader needs nothing that follows. Returns the size of
 * the result, or 0. */
static size_t text_deflate(z_stream *stream, const char *text, size_t size, bool ends,
                           unsigned char *out, size_t room)
{
    stream->next_in = (Bytef *)(uintptr_t)text;
    stream->avail_in = (uInt)size;
    stream->next_out = out;
    stream->avail_out = (uInt)room;
    int rc = deflate(stream, ends ? Z_FINISH : Z_SYNC_FLUSH);
    bool whole = ends ? rc == Z_STREAM_END : rc == Z_OK && stream->avail_out > 0;
    return whole ? room - stream->avail_out : 0;
}

/* Writes text as a part of the open frame, all or nothing. */
static bool text_write(struct swi_log_output *file, const char *text, size_t size, bool ends)
{
    SW_ERROR_SCOPE(ignored); /* the stream of core keeps it */
    struct swi_frames *frames = file->frames;
    z_stream *old = &frames->stream[frames->used], *new = &frames->stream[!frames->used];
    if (size > UINT_MAX / 2 || deflateCopy(new, old) != Z_OK)
        return false;
    size_t room = deflateBound(new, (uLong)size) + OF_A_FLUSH;
    unsigned char *out = malloc(room);
    size_t made = out ? text_deflate(new, text, size, ends, out, room) : 0;
    bool fine = made && !is_truncated(frames) &&
                sw_sink_write(file->sink, file->file, out, made, &ignored) == 0;
    free(out);
    deflateEnd(fine ? old : new);
    if (!fine)
        return false;
    frames->used = !frames->used;
    frames->written += (int64_t)made;
    frames->inside += size;
    if (ends)
        frame_begin(frames);
    return true;
}

/* ---- lines ---- */

static int64_t lines_in(const char *text, size_t size)
{
    int64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Returns the size of the lines that begin with text: at most `most`, but for a longer one. */
static size_t piece_of(const char *text, size_t size, size_t most)
{
    const char *newline = size > most ? memrchr(text, '\n', most) : NULL;
    if (size > most && !newline)
        newline = memchr(text, '\n', size);
    return newline ? (size_t)(newline + 1 - text) : size;
}

/* Writes lines until one of the pieces cannot be written. */
static void frames_write(struct swi_log_output *file, size_t most)
{
    struct swi_frames *frames = file->frames;
    struct swi_text *lines = &frames->lines;
    bool fails = false;
    frames->since = 0;
    while (lines->size && !fails) {
        if (is_truncated(frames))
            file_begin_again(frames);
        size_t size = piece_of(lines->data, lines->size, most);
        bool written = text_write(file, lines->data, size, frames->inside + size >= FRAME);
        fails = !written && !is_truncated(frames);
        lines->size -= written ? size : 0;
        memmove(lines->data, lines->data + (written ? size : 0), lines->size);
    }
}

static void frames_flush(struct swi_log_output *file)
{
    frames_write(file, 2 * WAIT);
}

static void frames_add(struct swi_log_output *file, const char *lines, size_t size)
{
    struct swi_frames *frames = file->frames;
    if (frames->since >= WAIT)
        frames_flush(file);
    bool room = !frames->lines.size || frames->lines.size + size <= HELD_MOST;
    if (room)
        swi_text_add(&frames->lines, lines, size);
    if (!room || frames->lines.failed)
        frames->lost += lines_in(lines, size);
    frames->lines.failed = false;
    frames->since += size;
}

/* ---- begin and end ---- */

static void frames_free(struct swi_frames *frames)
{
    deflateEnd(&frames->stream[frames->used]);
    swi_text_free(&frames->lines);
    swi_text_free(&frames->head);
    free(frames);
}

static void frames_close(struct swi_log_output *file)
{
    struct swi_frames *frames = file->frames;
    frames_flush(file);
    frames_write(file, PIECE); /* what a full disk has room for */
    int64_t lost = frames->lost + lines_in(frames->lines.data, frames->lines.size);
    if (frames->inside)
        text_write(file, "", 0, true);
    if (lost)
        sw_sink_lost(file->sink, lost);
    frames_free(frames);
}

static int frames_open(struct swi_log_output *file, const char *path, struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    struct stat st;
    struct swi_frames *frames = calloc(1, sizeof *frames);
    if (!frames || !stream_begin(frames->stream, &frames->framing)) {
        free(frames);
        return sw_error_set(err, SW_ENOMEM, "not enough memory to compress %s", path);
    }
    if (strcmp(path, "-") == 0 ||
        sw_sink_resolve(file->sink, path, frames->path, sizeof frames->path, &ignored) < 0 ||
        stat(frames->path, &st) < 0 || !S_ISREG(st.st_mode)) {
        *frames->path = '\0';
    } else {
        frames->device = st.st_dev;
        frames->inode = st.st_ino;
    }
    file->frames = frames;
    return 0;
}

static void frames_head(struct swi_frames *frames, const char *lines, size_t size)
{
    frames->head.size = 0;
    swi_text_add(&frames->head, lines, size);
    frames->head.failed = false;
}

/* ---- a frame alone, and reading frames ---- */

void swi_log_output_frame(struct swi_text *frame, const char *lines, size_t size)
{
    z_stream stream = {0};
    struct framing framing;
    size_t made = 0;
    bool begun = size <= UINT_MAX / 2 && stream_begin(&stream, &framing);
    size_t room = begun ? deflateBound(&stream, (uLong)size) + OF_A_FLUSH : 0;
    if (begun && swi_text_reserve(frame, room))
        made = text_deflate(&stream, lines, size, true, (unsigned char *)frame->data + frame->size,
                            room);
    frame->size += made;
    frame->failed = frame->failed || !made;
    deflateEnd(&stream);
}

/* zlib's own functions for files would need more of the C library than a static program may have.
 */
struct reading {
    z_stream stream;
    int fd;
    unsigned char in[1 << 14];
};

static ssize_t on_read(void *cookie, char *to, size_t size)
{
    struct reading *reading = cookie;
    z_stream *stream = &reading->stream;
    uInt room = size < INT_MAX ? (uInt)size : INT_MAX;
    stream->next_out = (Bytef *)to;
    stream->avail_out = room;
    while (stream->avail_out == room) {
        int rc = inflate(stream, Z_NO_FLUSH);
        if (rc == Z_STREAM_END)
            rc = inflateReset(stream);
        if (rc != Z_OK && rc != Z_BUF_ERROR)
            return -1;
        if (stream->avail_out < room || stream->avail_in > 0)
            continue;
        ssize_t n = read(reading->fd, reading->in, sizeof reading->in);
        if (n <= 0)
            return n;
        stream->next_in = reading->in;
        stream->avail_in = (uInt)n;
    }
    return room - stream->avail_out;
}

static int on_close(void *cookie)
{
    struct reading *reading = cookie;
    int rc = close(reading->fd);
    inflateEnd(&reading->stream);
    free(reading);
    return rc;
}

static FILE *frames_read(int fd)
{
    cookie_io_functions_t functions = {.read = on_read, .close = on_close};
    struct reading *reading = calloc(1, sizeof *reading);
    if (!reading)
        return NULL;
    reading->fd = fd;
    FILE *file = inflateInit2(&reading->stream, GZIP_WINDOW) == Z_OK
                     ? fopencookie(reading, "r", functions)
                     : NULL;
    if (!file) {
        inflateEnd(&reading->stream);
        free(reading);
    }
    return file;
}

#else

static void frames_flush(struct swi_log_output *file)
{
    (void)file;
}

static void frames_add(struct swi_log_output *file, const char *lines, size_t size)
{
    (void)file;
    (void)lines;
    (void)size;
}

static void frames_close(struct swi_log_output *file)
{
    (void)file;
}

static int frames_open(struct swi_log_output *file, const char *path, struct sw_error *err)
{
    (void)file;
    return sw_error_set(err, SW_EINVAL, "%s: cannot be compressed without zlib", path);
}

static void frames_head(struct swi_frames *frames, const char *lines, size_t size)
{
    (void)frames;
    (void)lines;
    (void)size;
}

void swi_log_output_frame(struct swi_text *frame, const char *lines, size_t size)
{
    swi_text_add(frame, lines, size);
}

static FILE *frames_read(int fd)
{
    (void)fd;
    return NULL;
}

#endif

/* ---- either ---------------------------------------------------------------------------------- */

static bool skip(FILE *file, int64_t bytes)
{
    char dropped[4096];
    size_t n = 1;
    for (; bytes > 0 && n > 0; bytes -= (int64_t)n)
        n = fread(dropped, 1, bytes < 4096 ? (size_t)bytes : sizeof dropped, file);
    return bytes == 0;
}

FILE *swi_log_output_read(int fd, bool compressed, int64_t at)
{
    FILE *file = compressed ? frames_read(fd) : fdopen(fd, "r");
    if (!file)
        close(fd);
    if (!file || (compressed ? skip(file, at) : fseeko(file, (off_t)at, SEEK_SET) == 0))
        return file;
    fclose(file);
    return NULL;
}

bool swi_log_output_compresses(void)
{
#ifdef HAVE_ZLIB
    return true;
#else
    return false;
#endif
}

int swi_log_output_open(struct swi_log_output *file, struct sw_sink *sink, const char *path,
                        bool compressed, struct sw_error *err)
{
    file->sink = sink;
    int rc = sw_sink_create(sink, path, &file->file, err);
    return rc == 0 && compressed ? frames_open(file, path, err) : rc;
}

void swi_log_output_head(struct swi_log_output *file, const char *lines, size_t size)
{
    if (file->frames)
        frames_head(file->frames, lines, size);
    else
        sw_sink_head(file->sink, file->file, lines, size);
}

void swi_log_output_add(struct swi_log_output *file, const char *lines, size_t size)
{
    if (file->frames)
        frames_add(file, lines, size);
    else
        fwrite(lines, 1, size, file->file);
}

void swi_log_output_flush(struct swi_log_output *file)
{
    if (file->frames)
        frames_flush(file);
    else if (file->file)
        fflush(file->file);
}

void swi_log_output_close(struct swi_log_output *file)
{
    if (file->frames)
        frames_close(file);
    file->frames = NULL;
}
