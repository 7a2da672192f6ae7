/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/log_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So much is read at once. */
enum { INPUT = 64 << 10 };

static ssize_t some_read(struct swi_log_bytes *bytes, void *to, size_t size)
{
    ssize_t n;
    do
        n = read(bytes->fd, to, size);
    while (n < 0 && errno == EINTR);
    bytes->offset += n > 0 ? n : 0;
    return n;
}

/* ---- compressed ------------------------------------------------------------------------------ */

/* FRAME_MOST: a frame is seldom larger. */
enum { MARK = SWI_FRAME_MARK, FRAME_MOST = 256 << 10 };

struct swi_log_unpacking {
    const struct swi_frame_codec *codec;
    void *unpacker;
    const unsigned char *next; /* what is in `in` of the current frame */
    size_t left;
    size_t after;   /* bytes behind that: from the begin of a mark on, which may not be all there */
    bool full;      /* there may be more output */
    bool inside;    /* a frame has begun, and not ended */
    bool torn;      /* the text ends within a line */
    bool within;    /* the frame had text that is not known yet */
    bool damaged;   /* to be told after the text before */
    bool searching; /* the rest of the frame is left out */
    unsigned char in[INPUT];
};

/* ---- frames ---------------------------------------------------------------------------------- */

static bool may_be_mark(const struct swi_frame_codec *codec, const unsigned char *at, size_t size)
{
    for (size_t i = 0; i < size && i < MARK; i++)
        if (at[i] != codec->mark[i] && i != codec->varies)
            return false;
    return true;
}

/* Returns the first place where a mark begins, or, at the end, may begin; or the end. */
static const unsigned char *mark_find(const struct swi_frame_codec *codec, const unsigned char *at,
                                      const unsigned char *end)
{
    while (at < end && (at = memchr(at, codec->mark[0], (size_t)(end - at)))) {
        if (may_be_mark(codec, at, (size_t)(end - at)))
            return at;
        at++;
    }
    return end;
}

static off_t mark_before(const struct swi_frame_codec *codec, int fd, off_t end)
{
    off_t begin = end > FRAME_MOST ? end - FRAME_MOST : 0, found = 0;
    unsigned char *window = malloc(FRAME_MOST);
    ssize_t n = window ? pread(fd, window, (size_t)(end - begin), begin) : 0;
    for (const unsigned char *at = window, *stop = window + (n > 0 ? n : 0);
         n > 0 && (at = mark_find(codec, at, stop)) + MARK <= stop; at++)
        found = begin + (at - window);
    free(window);
    return found;
}

static void frame_begin(struct swi_log_unpacking *packed)
{
    packed->codec->unpack_begin(packed->unpacker);
    packed->inside = packed->torn = packed->within = packed->searching = packed->full = false;
}

static void input_leave(struct swi_log_unpacking *packed)
{
    packed->next += packed->left;
    packed->left = 0;
}

/* Divides what is behind the input: up to the next mark, it is the current frame's. */
static void input_divide(struct swi_log_unpacking *packed)
{
    const unsigned char *begin = packed->next, *end = begin + packed->after;
    bool begins = packed->after >= MARK && may_be_mark(packed->codec, begin, MARK);
    /* The frame before was cut off. Its text may end with a whole line. */
    bool torn = packed->inside && (packed->torn || packed->within) && !packed->searching;
    packed->damaged = packed->damaged || (begins && torn);
    if (begins)
        frame_begin(packed);
    const unsigned char *next = mark_find(packed->codec, begin + begins, end);
    packed->left = (size_t)(next - begin);
    packed->after = (size_t)(end - next);
}

static ssize_t input_read(struct swi_log_bytes *bytes)
{
    struct swi_log_unpacking *packed = bytes->packed;
    memmove(packed->in, packed->next, packed->after);
    packed->next = packed->in;
    ssize_t n = some_read(bytes, packed->in + packed->after, INPUT - packed->after);
    packed->after += n > 0 ? (size_t)n : 0;
    return n;
}

/* Makes sure that there is input. Returns 1, 0 at the end, or -1. */
static int input_take(struct swi_log_bytes *bytes)
{
    struct swi_log_unpacking *packed = bytes->packed;
    for (ssize_t n = 1; n > 0 && packed->left == 0;) {
        n = packed->after < MARK ? input_read(bytes) : 1;
        if (n < 0)
            return -1;
        if (n > 0)
            input_divide(packed);
        else /* at the end, the begin of a mark is none */
            packed->left = packed->after, packed->after = 0;
        if (packed->searching)
            input_leave(packed);
    }
    return packed->left > 0;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Returns how many bytes were made. */
static size_t unpack_some(struct swi_log_unpacking *packed, char *to, size_t size)
{
    struct swi_unpacking bytes = {packed->next, packed->left, to, size, false};
    packed->inside = true;
    enum swi_unpacked unpacked = packed->codec->unpack(packed->unpacker, &bytes);
    size_t made = size - bytes.out_size;
    packed->next = bytes.in;
    packed->left = bytes.in_size;
    packed->within = bytes.within;
    packed->torn = made ? to[made - 1] != '\n' : packed->torn;
    packed->full = unpacked == SWI_UNPACKED_SOME && bytes.out_size == 0;
    if (unpacked == SWI_UNPACKED_END) {
        packed->inside = false;
    } else if (unpacked == SWI_UNPACKED_DAMAGED) {
        input_leave(packed);
        packed->damaged = packed->searching = true;
    }
    return made;
}

static ssize_t unpack(struct swi_log_bytes *bytes, char *to, size_t size)
{
    struct swi_log_unpacking *packed = bytes->packed;
    for (size_t made = 0;;) {
        int rc = packed->full ? 1 : input_take(bytes);
        if (packed->damaged) {
            packed->damaged = false;
            errno = EBADMSG;
            return -1;
        }
        if (rc <= 0)
            return rc;
        if ((made = unpack_some(packed, to, size)) > 0)
            return (ssize_t)made;
    }
}

/* Begins with what was read as text. */
static bool unpacking_begin(struct swi_log_bytes *bytes, const char *text, size_t size)
{
    struct swi_log_unpacking *packed = bytes->codec->unpack_new ? calloc(1, sizeof *packed) : NULL;
    if (!packed || !(packed->unpacker = bytes->codec->unpack_new())) {
        free(packed);
        errno = bytes->codec->unpack_new ? ENOMEM : ENOTSUP;
        return false;
    }
    packed->codec = bytes->codec;
    memcpy(packed->in, text, size);
    packed->next = packed->in;
    packed->after = size;
    bytes->packed = packed;
    return true;
}

static void unpacking_free(struct swi_log_unpacking *packed)
{
    if (packed)
        packed->codec->unpack_free(packed->unpacker);
    free(packed);
}

/* ---- the log --------------------------------------------------------------------------------- */

void swi_log_bytes_init(struct swi_log_bytes *bytes, int fd)
{
    *bytes = (struct swi_log_bytes){.fd = fd};
}

void swi_log_bytes_fini(struct swi_log_bytes *bytes)
{
    unpacking_free(bytes->packed);
    swi_log_bytes_init(bytes, -1);
}

/* Reads what tells the format, unless the log is shorter. */
static ssize_t first_read(struct swi_log_bytes *bytes, char *to, size_t size)
{
    ssize_t all = some_read(bytes, to, size);
    ssize_t n = all;
    while (n > 0 && all < SWI_FRAME_KIND && (size_t)all < size) {
        n = some_read(bytes, to + all, size - (size_t)all);
        all += n > 0 ? n : 0;
    }
    return all;
}

ssize_t swi_log_bytes_read(struct swi_log_bytes *bytes, char *to, size_t size)
{
    if (bytes->packed)
        return unpack(bytes, to, size);
    if (bytes->begun)
        return some_read(bytes, to, size);
    ssize_t n = first_read(bytes, to, size < INPUT ? size : INPUT);
    bytes->begun = n > 0;
    bytes->codec = n > 0 ? swi_frame_codec_of(to, (size_t)n) : NULL;
    if (!bytes->codec)
        return n;
    return unpacking_begin(bytes, to, (size_t)n) ? unpack(bytes, to, size) : -1;
}

int swi_log_bytes_check(const struct swi_log_bytes *bytes, const char *path, struct sw_error *err)
{
    const struct swi_frame_codec *codec = bytes->codec;
    if (!codec || codec->unpack_new)
        return 0;
    return sw_error_set(err, SW_EIO,
                        "%s: cannot be read: it is compressed by %s, and this stepwatch was built "
                        "without %s: install it and build again, or unpack the log",
                        path, codec->name, codec->library);
}

/* Returns the format of a file; NULL: it is not compressed. */
static const struct swi_frame_codec *codec_of(const struct swi_log_bytes *bytes)
{
    unsigned char first[SWI_FRAME_KIND];
    ssize_t n = pread(bytes->fd, first, sizeof first, 0);
    return n > 0 ? swi_frame_codec_of(first, (size_t)n) : NULL;
}

bool swi_log_bytes_packed(const struct swi_log_bytes *bytes)
{
    return codec_of(bytes);
}

void swi_log_bytes_begin(struct swi_log_bytes *bytes, off_t begin)
{
    int fd = bytes->fd;
    swi_log_bytes_fini(bytes);
    swi_log_bytes_init(bytes, fd);
    off_t at = lseek(fd, begin, SEEK_SET);
    bytes->offset = at < 0 ? 0 : at;
}

bool swi_log_bytes_tail(struct swi_log_bytes *bytes, off_t size)
{
    off_t end = lseek(bytes->fd, 0, SEEK_END), begin = end > size ? end - size : 0;
    const struct swi_frame_codec *codec = begin ? codec_of(bytes) : NULL;
    if (codec)
        begin = mark_before(codec, bytes->fd, begin);
    swi_log_bytes_begin(bytes, begin);
    return begin > 0;
}
