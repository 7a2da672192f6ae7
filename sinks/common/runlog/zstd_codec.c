/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/frame_codec.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef HAVE_ZSTD

#include <stdint.h>
#include <stdlib.h>
#include <zstd.h>

/* Steps differ only in their digits, whose short pieces are alike by chance. Without matches below
 * MATCH bytes, a step takes 2 % less. A frame has less text than the window, 1 << WINDOW. */
enum { LEVEL = 8, MATCH = 6, WINDOW = 19 };

/* ---- writing --------------------------------------------------------------------------------- */

/* Of the mark, what is before the frame: a frame that readers skip. */
static const char before[] = "\x50\x2a\x4d\x18\x04\0\0\0SW\0";

struct zstd_packer {
    ZSTD_CCtx *context;
    bool begun;
};

static void zstd_begin(void *of)
{
    struct zstd_packer *packer = of;
    ZSTD_CCtx_reset(packer->context, ZSTD_reset_session_only);
    packer->begun = false;
}

static bool is_set(ZSTD_CCtx *context, ZSTD_cParameter parameter, int value)
{
    return !ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value));
}

static void *zstd_new(void)
{
    struct zstd_packer *packer = calloc(1, sizeof *packer);
    ZSTD_CCtx *context = packer ? ZSTD_createCCtx() : NULL;
    if (context && is_set(context, ZSTD_c_compressionLevel, LEVEL) &&
        is_set(context, ZSTD_c_minMatch, MATCH) && is_set(context, ZSTD_c_windowLog, WINDOW) &&
        is_set(context, ZSTD_c_checksumFlag, 1)) {
        packer->context = context;
        return packer;
    }
    ZSTD_freeCCtx(context);
    free(packer);
    return NULL;
}

static void zstd_free(void *of)
{
    struct zstd_packer *packer = of;
    ZSTD_freeCCtx(packer->context);
    free(packer);
}

static bool zstd_pack(void *of, const char *text, size_t size, bool ends, struct swi_text *out)
{
    enum { OF_A_FLUSH = 64 };
    struct zstd_packer *packer = of;
    size_t room = ZSTD_compressBound(size) + OF_A_FLUSH;
    if (!packer->begun)
        swi_text_add(out, before, sizeof before);
    packer->begun = !ends;
    if (ZSTD_isError(room) || out->failed || !swi_text_reserve(out, room))
        return false;
    ZSTD_inBuffer in = {.src = text, .size = size};
    ZSTD_outBuffer to = {.dst = out->data + out->size, .size = room};
    size_t left = ZSTD_compressStream2(packer->context, &to, &in, ends ? ZSTD_e_end : ZSTD_e_flush);
    out->size += to.pos;
    return left == 0 && in.pos == size;
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { FRAME_HEAD = 5, BLOCK_HEAD = 3 };

struct zstd_unpacker {
    ZSTD_DCtx *context;
    size_t wanted; /* the bytes of a block, and the head of the next one */
};

static void unzstd_begin(void *of)
{
    struct zstd_unpacker *unpacker = of;
    ZSTD_DCtx_reset(unpacker->context, ZSTD_reset_session_only);
    unpacker->wanted = FRAME_HEAD;
}

static void *unzstd_new(void)
{
    struct zstd_unpacker *unpacker = calloc(1, sizeof *unpacker);
    if (unpacker && (unpacker->context = ZSTD_createDCtx())) {
        unpacker->wanted = FRAME_HEAD;
        return unpacker;
    }
    free(unpacker);
    return NULL;
}

static void unzstd_free(void *of)
{
    struct zstd_unpacker *unpacker = of;
    ZSTD_freeDCtx(unpacker->context);
    free(unpacker);
}

/* One block at a time: of a call that finds damage, the library does not say what text it made. A
 * frame that readers skip is one without text. */
static enum swi_unpacked unzstd(void *of, struct swi_unpacking *bytes)
{
    struct zstd_unpacker *unpacker = of;
    size_t size = unpacker->wanted > BLOCK_HEAD ? unpacker->wanted - BLOCK_HEAD : unpacker->wanted;
    ZSTD_inBuffer in = {.src = bytes->in, .size = size < bytes->in_size ? size : bytes->in_size};
    ZSTD_outBuffer out = {.dst = bytes->out, .size = bytes->out_size};
    size_t left = ZSTD_decompressStream(unpacker->context, &out, &in);
    bytes->in += in.pos;
    bytes->in_size -= in.pos;
    bytes->out += out.pos;
    bytes->out_size -= out.pos;
    if (ZSTD_isError(left))
        return SWI_UNPACKED_DAMAGED;
    unpacker->wanted = left ? left : FRAME_HEAD;
    bytes->within = left && left != BLOCK_HEAD;
    return left ? SWI_UNPACKED_SOME : SWI_UNPACKED_END;
}

#endif

/* The mark is a frame that readers skip, with `SW`, and the begin of the frame after it. */
const struct swi_frame_codec swi_zstd_codec = {
    .name = "zstd",
    .ending = ".zst",
    .library = "libzstd (libzstd-dev)",
    .mark = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 'S', 'W', 0, 0, 0x28, 0xb5, 0x2f, 0xfd},
    .varies = SWI_FRAME_MARK,
#ifdef HAVE_ZSTD
    .pack_new = zstd_new,
    .pack_free = zstd_free,
    .pack_begin = zstd_begin,
    .pack = zstd_pack,
    .unpack_new = unzstd_new,
    .unpack_free = unzstd_free,
    .unpack_begin = unzstd_begin,
    .unpack = unzstd,
#endif
};
