/* SPDX-License-Identifier: MIT */
#include "tools/log/log_bytes.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first byte of each gzip file; a run log as text begins with a brace. So much is read at
 * once. */
enum { GZIP = 0x1f, INPUT = 64 << 10 };

static ssize_t some_read(struct log_bytes *bytes, void *to, size_t size)
{
    ssize_t n;
    do
        n = read(bytes->fd, to, size);
    while (n < 0 && errno == EINTR);
    bytes->offset += n > 0 ? n : 0;
    return n;
}

#ifdef HAVE_ZLIB
#include <zlib.h>

/* FRAME_MOST: a frame is seldom larger. */
enum { MARK = 16, EFFORT = 8, GZIP_WINDOW = 15 + 16, FRAME_MOST = 256 << 10 };

/* What a frame begins with: a header of gzip with an extra field `SW` that is empty. The byte
 * EFFORT may be another. */
static const unsigned char mark[MARK] = {GZIP, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 4, 0, 'S', 'W', 0, 0};

struct unpacking {
    z_stream stream; /* its input: what is in `in` of the current frame */
    size_t after;   /* bytes behind that: from the begin of a mark on, which may not be all there */
    bool full;      /* there may be more output */
    bool inside;    /* a member has begun, and not ended */
    bool torn;      /* the text ends within a line */
    bool damaged;   /* to be told after the text before */
    bool searching; /* the rest of the frame is left out */
    unsigned char in[INPUT];
};

/* ---- frames ---------------------------------------------------------------------------------- */

static bool may_be_mark(const unsigned char *at, size_t size)
{
    for (size_t i = 0; i < size && i < MARK; i++)
        if (at[i] != mark[i] && i != EFFORT)
            return false;
    return true;
}

/* Returns the first place where a mark begins, or, at the end, may begin; or the end. */
static const unsigned char *mark_find(const unsigned char *at, const unsigned char *end)
{
    while (at < end && (at = memchr(at, GZIP, (size_t)(end - at)))) {
        if (may_be_mark(at, (size_t)(end - at)))
            return at;
        at++;
    }
    return end;
}

static off_t mark_before(int fd, off_t end)
{
    off_t begin = end > FRAME_MOST ? end - FRAME_MOST : 0, found = 0;
    unsigned char *window = malloc(FRAME_MOST);
    ssize_t n = window ? pread(fd, window, (size_t)(end - begin), begin) : 0;
    for (const unsigned char *at = window, *stop = window + (n > 0 ? n : 0);
         n > 0 && (at = mark_find(at, stop)) + MARK <= stop; at++)
        found = begin + (at - window);
    free(window);
    return found;
}

static void frame_begin(struct unpacking *packed)
{
    inflateReset(&packed->stream);
    packed->inside = packed->torn = packed->searching = packed->full = false;
}

static void input_leave(struct unpacking *packed)
{
    packed->stream.next_in += packed->stream.avail_in;
    packed->stream.avail_in = 0;
}

/* Divides what is behind the input: up to the next mark, it is the current frame's. */
static void input_divide(struct unpacking *packed)
{
    const unsigned char *begin = packed->stream.next_in, *end = begin + packed->after;
    bool begins = packed->after >= MARK && may_be_mark(begin, MARK);
    /* The frame before was cut off. Its text may end with a whole line. */
    bool torn = packed->inside && packed->torn && !packed->searching;
    packed->damaged = packed->damaged || (begins && torn);
    if (begins)
        frame_begin(packed);
    const unsigned char *next = mark_find(begin + begins, end);
    packed->stream.avail_in = (uInt)(next - begin);
    packed->after = (size_t)(end - next);
}

static ssize_t input_read(struct log_bytes *bytes)
{
    struct unpacking *packed = bytes->packed;
    memmove(packed->in, packed->stream.next_in, packed->after);
    packed->stream.next_in = packed->in;
    ssize_t n = some_read(bytes, packed->in + packed->after, INPUT - packed->after);
    packed->after += n > 0 ? (size_t)n : 0;
    return n;
}

/* Makes sure that there is input. Returns 1, 0 at the end, or -1. */
static int input_take(struct log_bytes *bytes)
{
    struct unpacking *packed = bytes->packed;
    for (ssize_t n = 1; n > 0 && packed->stream.avail_in == 0;) {
        n = packed->after < MARK ? input_read(bytes) : 1;
        if (n < 0)
            return -1;
        if (n > 0)
            input_divide(packed);
        else /* at the end, the begin of a mark is none */
            packed->stream.avail_in = (uInt)packed->after, packed->after = 0;
        if (packed->searching)
            input_leave(packed);
    }
    return packed->stream.avail_in > 0;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Returns how many bytes were made. */
static size_t inflate_some(struct unpacking *packed, char *to, size_t size)
{
    uInt room = size < (1u << 30) ? (uInt)size : 1u << 30;
    packed->stream.next_out = (Bytef *)to;
    packed->stream.avail_out = room;
    packed->inside = true;
    int rc = inflate(&packed->stream, Z_NO_FLUSH);
    size_t made = room - packed->stream.avail_out;
    packed->torn = made ? to[made - 1] != '\n' : packed->torn;
    packed->full = rc == Z_OK && packed->stream.avail_out == 0;
    if (rc == Z_STREAM_END) {
        inflateReset(&packed->stream);
        packed->inside = false;
    } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
        input_leave(packed);
        packed->damaged = packed->searching = true;
    }
    return made;
}

static ssize_t unpack(struct log_bytes *bytes, char *to, size_t size)
{
    struct unpacking *packed = bytes->packed;
    for (size_t made = 0;;) {
        int rc = packed->full ? 1 : input_take(bytes);
        if (packed->damaged) {
            packed->damaged = false;
            errno = EBADMSG;
            return -1;
        }
        if (rc <= 0)
            return rc;
        if ((made = inflate_some(packed, to, size)) > 0)
            return (ssize_t)made;
    }
}

/* Begins with what was read as text. */
static bool unpacking_begin(struct log_bytes *bytes, const char *text, size_t size)
{
    struct unpacking *packed = calloc(1, sizeof *packed);
    if (!packed || inflateInit2(&packed->stream, GZIP_WINDOW) != Z_OK) {
        free(packed);
        errno = ENOMEM;
        return false;
    }
    memcpy(packed->in, text, size);
    packed->stream.next_in = packed->in;
    packed->after = size;
    bytes->packed = packed;
    return true;
}

static void unpacking_free(struct unpacking *packed)
{
    if (packed)
        inflateEnd(&packed->stream);
    free(packed);
}

#else

static off_t mark_before(int fd, off_t end)
{
    (void)fd;
    (void)end;
    return 0;
}

static ssize_t unpack(struct log_bytes *bytes, char *to, size_t size)
{
    (void)bytes;
    (void)to;
    (void)size;
    return 0;
}

static bool unpacking_begin(struct log_bytes *bytes, const char *text, size_t size)
{
    (void)bytes;
    (void)text;
    (void)size;
    errno = ENOTSUP;
    return false;
}

static void unpacking_free(struct unpacking *packed)
{
    (void)packed;
}

#endif

/* ---- the log --------------------------------------------------------------------------------- */

void log_bytes_init(struct log_bytes *bytes, int fd)
{
    *bytes = (struct log_bytes){.fd = fd};
}

void log_bytes_fini(struct log_bytes *bytes)
{
    unpacking_free(bytes->packed);
    log_bytes_init(bytes, -1);
}

ssize_t log_bytes_read(struct log_bytes *bytes, char *to, size_t size)
{
    if (bytes->packed)
        return unpack(bytes, to, size);
    if (bytes->begun)
        return some_read(bytes, to, size);
    ssize_t n = some_read(bytes, to, size < INPUT ? size : INPUT);
    bool packed = n > 0 && (unsigned char)*to == GZIP;
    bytes->begun = n > 0;
    if (!packed)
        return n;
    return unpacking_begin(bytes, to, (size_t)n) ? unpack(bytes, to, size) : -1;
}

bool log_bytes_packed(const struct log_bytes *bytes)
{
    unsigned char first;
    return pread(bytes->fd, &first, 1, 0) == 1 && first == GZIP;
}

void log_bytes_begin(struct log_bytes *bytes, off_t begin)
{
    int fd = bytes->fd;
    log_bytes_fini(bytes);
    log_bytes_init(bytes, fd);
    off_t at = lseek(fd, begin, SEEK_SET);
    bytes->offset = at < 0 ? 0 : at;
}

void log_bytes_restart(struct log_bytes *bytes)
{
    log_bytes_begin(bytes, 0);
}

bool log_bytes_tail(struct log_bytes *bytes, off_t size)
{
    off_t end = lseek(bytes->fd, 0, SEEK_END), begin = end > size ? end - size : 0;
    if (begin && log_bytes_packed(bytes))
        begin = mark_before(bytes->fd, begin);
    log_bytes_begin(bytes, begin);
    return begin > 0;
}
