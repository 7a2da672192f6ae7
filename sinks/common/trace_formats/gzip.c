/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/gzip.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef HAVE_ZLIB

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

struct swi_gzip {
    z_stream stream;
    bool (*write)(void *arg, const char *data, size_t size);
    void *arg;
    bool failed;
    char out[1 << 16];
};

/* zlib's window bits for a stream with a gzip header and trailer. */
enum { GZIP_WINDOW = 15 + 16, LEVEL = 6 };

bool swi_gzip_is_known(void)
{
    return true;
}

struct swi_gzip *swi_gzip_new(bool (*write)(void *arg, const char *data, size_t size), void *arg)
{
    struct swi_gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return NULL;
    gzip->write = write;
    gzip->arg = arg;
    if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return gzip;
    free(gzip);
    return NULL;
}

static int deflate_some(struct swi_gzip *gzip, int flush)
{
    gzip->stream.next_out = (Bytef *)gzip->out;
    gzip->stream.avail_out = sizeof gzip->out;
    int rc = deflate(&gzip->stream, flush);
    size_t made = sizeof gzip->out - gzip->stream.avail_out;
    gzip->failed = gzip->failed || (made && !gzip->write(gzip->arg, gzip->out, made));
    return rc;
}

bool swi_gzip_add(struct swi_gzip *gzip, const char *data, size_t size)
{
    while (size > 0 && !gzip->failed) {
        uInt piece = size > 1u << 30 ? 1u << 30 : (uInt)size;
        gzip->stream.next_in = (Bytef *)(uintptr_t)data;
        gzip->stream.avail_in = piece;
        while (gzip->stream.avail_in > 0 && !gzip->failed)
            deflate_some(gzip, Z_NO_FLUSH);
        data += piece;
        size -= piece;
    }
    return !gzip->failed;
}

bool swi_gzip_end(struct swi_gzip *gzip)
{
    int rc = Z_OK;
    gzip->stream.avail_in = 0;
    while (rc == Z_OK && !gzip->failed)
        rc = deflate_some(gzip, Z_FINISH);
    bool fine = rc == Z_STREAM_END && !gzip->failed;
    deflateEnd(&gzip->stream);
    free(gzip);
    return fine;
}

#else

bool swi_gzip_is_known(void)
{
    return false;
}

struct swi_gzip *swi_gzip_new(bool (*write)(void *arg, const char *data, size_t size), void *arg)
{
    (void)write;
    (void)arg;
    return NULL;
}

bool swi_gzip_add(struct swi_gzip *gzip, const char *data, size_t size)
{
    (void)gzip;
    (void)data;
    (void)size;
    return false;
}

bool swi_gzip_end(struct swi_gzip *gzip)
{
    (void)gzip;
    return false;
}

#endif
