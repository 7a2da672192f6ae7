/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/log_frames.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef HAVE_ZLIB

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* zlib's window bits for a stream with a gzip header and trailer. Steps differ only in
 * their digits, whose short pieces are alike by chance: with Z_FILTERED, which prefers to code
 * those one by one, a step takes 8 % less, and no more time. */
enum { GZIP_WINDOW = 15 + 16, LEVEL = 6, MEMORY = 8 };

struct swi_log_frame {
    z_stream stream;
    gz_header header;
    unsigned char mark[4]; /* its extra field */
};

bool swi_log_frames_are_known(void)
{
    return true;
}

static void header_set(struct swi_log_frame *frame)
{
    memcpy(frame->mark, "SW\0\0", sizeof frame->mark);
    frame->header = (gz_header){.os = 3, .extra = frame->mark, .extra_len = sizeof frame->mark};
    deflateSetHeader(&frame->stream, &frame->header);
}

struct swi_log_frame *swi_log_frame_new(void)
{
    struct swi_log_frame *frame = calloc(1, sizeof *frame);
    if (frame &&
        deflateInit2(&frame->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_FILTERED) == Z_OK) {
        header_set(frame);
        return frame;
    }
    free(frame);
    return NULL;
}

struct swi_log_frame *swi_log_frame_copy(struct swi_log_frame *frame)
{
    struct swi_log_frame *copy = calloc(1, sizeof *copy);
    if (copy && deflateCopy(&copy->stream, &frame->stream) == Z_OK) {
        header_set(copy);
        return copy;
    }
    free(copy);
    return NULL;
}

void swi_log_frame_free(struct swi_log_frame *frame)
{
    if (frame)
        deflateEnd(&frame->stream);
    free(frame);
}

void swi_log_frame_begin(struct swi_log_frame *frame)
{
    deflateReset(&frame->stream);
    header_set(frame);
}

bool swi_log_frame_add(struct swi_log_frame *frame, const char *lines, size_t size, bool ends,
                       struct swi_text *out)
{
    enum { OF_A_FLUSH = 64 };
    z_stream *stream = &frame->stream;
    size_t room = deflateBound(stream, (uLong)size) + OF_A_FLUSH;
    if (room > UINT_MAX || !swi_text_reserve(out, room))
        return false;
    stream->next_in = (Bytef *)(uintptr_t)lines;
    stream->avail_in = (uInt)size;
    stream->next_out = (Bytef *)out->data + out->size;
    stream->avail_out = (uInt)room;
    int rc = deflate(stream, ends ? Z_FINISH : Z_SYNC_FLUSH);
    out->size += room - stream->avail_out;
    bool whole = ends ? rc == Z_STREAM_END : rc == Z_OK && stream->avail_out > 0;
    if (ends)
        swi_log_frame_begin(frame);
    return whole;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* zlib's own functions for files would need more of the C library than a static program may have.
 */
struct unframing {
    z_stream stream;
    int fd;
    unsigned char in[1 << 14];
};

static ssize_t on_read(void *cookie, char *to, size_t size)
{
    struct unframing *file = cookie;
    z_stream *stream = &file->stream;
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
        ssize_t n = read(file->fd, file->in, sizeof file->in);
        if (n <= 0)
            return n;
        stream->next_in = file->in;
        stream->avail_in = (uInt)n;
    }
    return room - stream->avail_out;
}

static int on_close(void *cookie)
{
    struct unframing *file = cookie;
    int rc = close(file->fd);
    inflateEnd(&file->stream);
    free(file);
    return rc;
}

FILE *swi_log_frames_read(int fd)
{
    cookie_io_functions_t functions = {.read = on_read, .close = on_close};
    struct unframing *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->fd = fd;
    bool begun = inflateInit2(&file->stream, GZIP_WINDOW) == Z_OK;
    FILE *stream = begun ? fopencookie(file, "r", functions) : NULL;
    if (!stream) {
        inflateEnd(&file->stream);
        free(file);
    }
    return stream;
}

#else

bool swi_log_frames_are_known(void)
{
    return false;
}

struct swi_log_frame *swi_log_frame_new(void)
{
    return NULL;
}

struct swi_log_frame *swi_log_frame_copy(struct swi_log_frame *frame)
{
    (void)frame;
    return NULL;
}

void swi_log_frame_free(struct swi_log_frame *frame)
{
    (void)frame;
}

void swi_log_frame_begin(struct swi_log_frame *frame)
{
    (void)frame;
}

bool swi_log_frame_add(struct swi_log_frame *frame, const char *lines, size_t size, bool ends,
                       struct swi_text *out)
{
    (void)frame;
    (void)lines;
    (void)size;
    (void)ends;
    (void)out;
    return false;
}

FILE *swi_log_frames_read(int fd)
{
    (void)fd;
    return NULL;
}

#endif
