/* SPDX-License-Identifier: MIT */
#include "tests/support/packed.h"

#include "config.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
const int packed_formats = 2;
#else
const int packed_formats = 1;
#endif

static const struct {
    const char *name, *ending;
} formats[] = {{"gzip", ".gz"}, {"zstd", ".zst"}};
static int chosen;

void packed_choose(int format)
{
    ck_assert_int_lt(format, packed_formats);
    chosen = format;
}

const char *packed_text(const char *text)
{
    static char made[4][1024];
    static int next;
    char *to = made[next++ % 4], *begin = to;
    for (; *text; text++) {
        bool is_name = strncmp(text, "%N", 2) == 0, is_ending = strncmp(text, "%E", 2) == 0;
        ck_assert_int_lt(to - begin, 1000);
        if (is_name || is_ending) {
            to = stpcpy(to, is_name ? formats[chosen].name : formats[chosen].ending);
            text++;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
    return begin;
}

/* ---- reading --------------------------------------------------------------------------------- */

static char unpacked[64 << 20];

static size_t gzip_read(const char *path)
{
    gzFile file = gzopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = 0;
    int n = 1;
    while (n > 0 && size < sizeof unpacked - 1) {
        n = gzread(file, unpacked + size, (unsigned)(sizeof unpacked - 1 - size));
        size += n > 0 ? (size_t)n : 0;
    }
    gzclose(file);
    return size;
}

#ifdef HAVE_ZSTD
static size_t zstd_read(FILE *file)
{
    static char bytes[16 << 20];
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {bytes, fread(bytes, 1, sizeof bytes, file), 0};
    ZSTD_outBuffer out = {unpacked, sizeof unpacked - 1, 0};
    size_t before = 1;
    for (size_t rc = 1; !ZSTD_isError(rc) && before != in.pos + out.pos;) {
        before = in.pos + out.pos;
        rc = ZSTD_decompressStream(context, &out, &in);
    }
    ZSTD_freeDCtx(context);
    return out.pos;
}
#endif

const char *packed_read(const char *path)
{
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    int first = ungetc(getc(file), file);
#ifdef HAVE_ZSTD
    if (first == 0x50 || first == 0x28)
        size = zstd_read(file);
    else
#endif
        size = gzip_read(path); /* text, too */
    (void)first;
    fclose(file);
    unpacked[size] = '\0';
    return unpacked;
}

/* ---- writing --------------------------------------------------------------------------------- */

static z_stream deflating;
#ifdef HAVE_ZSTD
static ZSTD_CCtx *packing;

static size_t zstd_add(unsigned char *out, size_t room, const char *text, bool ends)
{
    ZSTD_inBuffer in = {text, strlen(text), 0};
    ZSTD_outBuffer to = {out, room, 0};
    ck_assert_uint_eq(ZSTD_compressStream2(packing, &to, &in, ends ? ZSTD_e_end : ZSTD_e_flush), 0);
    return to.pos;
}
#endif

static size_t gzip_add(unsigned char *out, size_t room, const char *text, bool ends)
{
    deflating.next_in = (Bytef *)(uintptr_t)text;
    deflating.avail_in = (uInt)strlen(text);
    deflating.next_out = out;
    deflating.avail_out = (uInt)room;
    ck_assert_int_eq(deflate(&deflating, ends ? Z_FINISH : Z_SYNC_FLUSH),
                     ends ? Z_STREAM_END : Z_OK);
    return room - deflating.avail_out;
}

size_t packed_frame(unsigned char *out, size_t room, const char *text, bool mark, bool ends)
{
#ifdef HAVE_ZSTD
    if (chosen == 1) {
        packing = packing ? packing : ZSTD_createCCtx();
        ZSTD_CCtx_reset(packing, ZSTD_reset_session_only);
        memcpy(out, "\x50\x2a\x4d\x18\x04\0\0\0SW\0", 12);
        size_t before = mark ? 12 : 0;
        return before + zstd_add(out + before, room - before, text, ends);
    }
#endif
    static gz_header header;
    if (deflating.state)
        deflateReset(&deflating);
    else
        ck_assert_int_eq(deflateInit2(&deflating, 6, Z_DEFLATED, 15 + 16, 8, Z_FILTERED), Z_OK);
    header = (gz_header){.os = 3, .extra = (Bytef *)(uintptr_t) "SW\0", .extra_len = 4};
    if (mark)
        deflateSetHeader(&deflating, &header);
    return gzip_add(out, room, text, ends);
}

size_t packed_block(unsigned char *out, size_t room, const char *text)
{
#ifdef HAVE_ZSTD
    if (chosen == 1)
        return zstd_add(out, room, text, false);
#endif
    return gzip_add(out, room, text, false);
}
