/* SPDX-License-Identifier: MIT */
/* frame_codec.h - the formats of compressed run logs: how one frame is written and read
 * (docs/run-log.md). */
#ifndef SINKS_COMMON_RUNLOG_FRAME_CODEC_H
#define SINKS_COMMON_RUNLOG_FRAME_CODEC_H

#include "core/text/buffer.h"
#include "core/text/parts.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* SWI_FRAME_MARK: bytes with which each frame begins, and which nothing else has. */
enum { SWI_FRAME_MARK = 16, SWI_FRAME_KIND = 4 };

/* What is left to read, and room for what it becomes. */
struct swi_unpacking {
    const unsigned char *in;
    size_t in_size;
    char *out;
    size_t out_size;
    bool within; /* set: the input ended where text may be missing that the frame had */
};

enum swi_unpacked {
    SWI_UNPACKED_SOME, /* as much as there is input or room for */
    SWI_UNPACKED_END,  /* the frame ended; the next one was begun */
    SWI_UNPACKED_DAMAGED
};

struct swi_frame_codec {
    const char *name;    /* as the option compress has it */
    const char *ending;  /* of paths */
    const char *library; /* that it needs, and the package that has it */
    unsigned char mark[SWI_FRAME_MARK];
    size_t varies; /* this byte of it may be another; SWI_FRAME_MARK: none */

    /* NULL, as all below, if this build lacks the library. */
    void *(*pack_new)(void); /* NULL: out of memory */
    void (*pack_free)(void *packer);
    /* Begins a frame, and drops what was not ended of another. */
    void (*pack_begin)(void *packer);
    /* Adds text to the frame, and to `out` what makes all of it readable. ends: it ends, too. The
     * same calls make the same bytes. Returns false if out of memory. */
    bool (*pack)(void *packer, const char *text, size_t size, bool ends, struct swi_text *out);

    void *(*unpack_new)(void);
    void (*unpack_free)(void *unpacker);
    void (*unpack_begin)(void *unpacker);
    enum swi_unpacked (*unpack)(void *unpacker, struct swi_unpacking *bytes);
};

extern const struct swi_frame_codec swi_gzip_codec, swi_zstd_codec;

/* Returns the format of a file that begins with these bytes, SWI_FRAME_KIND or more unless the file
 * is shorter; NULL: it is not compressed. Other programs may have compressed it. */
static inline const struct swi_frame_codec *swi_frame_codec_of(const void *begin, size_t size)
{
    const unsigned char *at = begin;
    if (size > 0 && at[0] == 0x1f)
        return &swi_gzip_codec;
    /* A frame, or one that readers skip: 0x50 to 0x5f begin it. */
    bool is_zstd =
        size >= SWI_FRAME_KIND && (memcmp(at, "\x28\xb5\x2f\xfd", 4) == 0 ||
                                   (at[0] >> 4 == 5 && memcmp(at + 1, "\x2a\x4d\x18", 3) == 0));
    return is_zstd ? &swi_zstd_codec : NULL;
}

/* Returns the format that an option or the end of a path names; NULL: none. */
static inline const struct swi_frame_codec *swi_frame_codec_named(const char *name,
                                                                  const char *path)
{
    const struct swi_frame_codec *const all[] = {&swi_gzip_codec, &swi_zstd_codec};
    for (size_t i = 0; i < 2; i++)
        if (strcmp(name, all[i]->name) == 0)
            return all[i];
    for (size_t i = 0; i < 2; i++)
        if (swi_ends(path, all[i]->ending))
            return all[i];
    return NULL;
}

#endif
