/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/frame_codec.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef HAVE_ZLIB

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

/* zlib's window bits for a stream with a gzip header and trailer. Steps differ only in
 * their digits, whose short pieces are alike by chance: with Z_FILTERED, which prefers to code
 * those one by one, a step takes 8 % less, and no more time. */
enum { GZIP_WINDOW = 15 + 16, LEVEL = 6, MEMORY = 8 };

/* ---- writing --------------------------------------------------------------------------------- */

struct gzip_packer {
    z_stream stream;
    gz_header header;
    unsigned char mark[4]; /* its extra field */
};

static void gzip_begin(void *of)
{
    struct gzip_packer *packer = of;
    deflateReset(&packer->stream);
    memcpy(packer->mark, "SW\0\0", sizeof packer->mark);
    packer->header = (gz_header){.os = 3, .extra = packer->mark, .extra_len = sizeof packer->mark};
    deflateSetHeader(&packer->stream, &packer->header);
}

static void *gzip_new(void)
{
    struct gzip_packer *packer = calloc(1, sizeof *packer);
    if (packer &&
        deflateInit2(&packer->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_FILTERED) == Z_OK) {
        gzip_begin(packer);
        return packer;
    }
    free(packer);
    return NULL;
}

static void gzip_free(void *of)
{
    struct gzip_packer *packer = of;
    deflateEnd(&packer->stream);
    free(packer);
}

static bool gzip_pack(void *of, const char *text, size_t size, bool ends, struct swi_text *out)
{
    enum { OF_A_FLUSH = 64 };
    struct gzip_packer *packer = of;
    z_stream *stream = &packer->stream;
    size_t room = deflateBound(stream, (uLong)size) + OF_A_FLUSH;
    if (room > UINT_MAX || !swi_text_reserve(out, room))
        return false;
    stream->next_in = (Bytef *)(uintptr_t)text;
    stream->avail_in = (uInt)size;
    stream->next_out = (Bytef *)out->data + out->size;
    stream->avail_out = (uInt)room;
    int rc = deflate(stream, ends ? Z_FINISH : Z_SYNC_FLUSH);
    out->size += room - stream->avail_out;
    return ends ? rc == Z_STREAM_END : rc == Z_OK && stream->avail_out > 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void *gunzip_new(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, GZIP_WINDOW) == Z_OK)
        return stream;
    free(stream);
    return NULL;
}

static void gunzip_free(void *of)
{
    z_stream *stream = of;
    inflateEnd(stream);
    free(stream);
}

static void gunzip_begin(void *of)
{
    z_stream *stream = of;
    inflateReset(stream);
}

static uInt at_most(size_t size)
{
    return size < (1u << 30) ? (uInt)size : 1u << 30;
}

static enum swi_unpacked gunzip(void *of, struct swi_unpacking *bytes)
{
    z_stream *stream = of;
    uInt in = at_most(bytes->in_size), out = at_most(bytes->out_size);
    stream->next_in = (Bytef *)(uintptr_t)bytes->in;
    stream->avail_in = in;
    stream->next_out = (Bytef *)bytes->out;
    stream->avail_out = out;
    int rc = inflate(stream, Z_NO_FLUSH);
    bytes->in += in - stream->avail_in;
    bytes->in_size -= in - stream->avail_in;
    bytes->out += out - stream->avail_out;
    bytes->out_size -= out - stream->avail_out;
    bytes->within = false; /* the text ends within a line, too */
    if (rc == Z_STREAM_END && inflateReset(stream) == Z_OK)
        return SWI_UNPACKED_END;
    return rc == Z_OK || rc == Z_BUF_ERROR ? SWI_UNPACKED_SOME : SWI_UNPACKED_DAMAGED;
}

#endif

/* The mark is a header of gzip with an extra field `SW` that is empty. The byte that may be another
 * says how much effort was made. */
const struct swi_frame_codec swi_gzip_codec = {
    .name = "gzip",
    .ending = ".gz",
    .library = "zlib (zlib1g-dev)",
    .mark = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 4, 0, 'S', 'W', 0, 0},
    .varies = 8,
#ifdef HAVE_ZLIB
    .pack_new = gzip_new,
    .pack_free = gzip_free,
    .pack_begin = gzip_begin,
    .pack = gzip_pack,
    .unpack_new = gunzip_new,
    .unpack_free = gunzip_free,
    .unpack_begin = gunzip_begin,
    .unpack = gunzip,
#endif
};
