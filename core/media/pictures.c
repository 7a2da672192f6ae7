/* SPDX-License-Identifier: MIT */
#include "core/media/pictures.h"

#include "config.h"
#include "core/files/own_symbols.h"
#include "core/text/buffer.h"
#include "core/text/digest.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* ---- zlib, if the machine has it ------------------------------------------------------------- */

/* It is loaded when the first image is encoded, so that the library needs nothing but libc, libm
 * and libyaml. */
#ifdef HAVE_ZLIB
struct zlib {
    int (*init)(z_streamp stream, int level, const char *version, int size); /* deflateInit_() */
    int (*deflate)(z_streamp stream, int flush);
    int (*end)(z_streamp stream);
};

static struct zlib loaded;
static bool found;

/* Returns a pointer to a function. ISO C has no conversion from a pointer to an object. */
static bool symbol_find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

/* It stays loaded. */
static void load(void)
{
    static const char *const names[] = {"libz.so.1", NULL};
    SW_ERROR_SCOPE(ignored);
    void *library = swi_library_open(names, &ignored);
    found = library && symbol_find(library, "deflateInit_", &loaded.init, sizeof loaded.init) &&
            symbol_find(library, "deflate", &loaded.deflate, sizeof loaded.deflate) &&
            symbol_find(library, "deflateEnd", &loaded.end, sizeof loaded.end);
}

/* Returns NULL if there is none. */
static const struct zlib *zlib_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return found ? &loaded : NULL;
}
#endif

/* ---- writes PNG files of 8 bits: PNG 1.2, https://www.w3.org/TR/png/ ------------------------- */

/* Writes one IDAT with all rows. Level 1 of zlib with the difference to the left pixel is
 * 16 times as fast as libpng's defaults, and the file is a quarter larger. */

/* The largest stored (uncompressed) block of deflate, in bytes. */
enum { STORED_MOST = 65535 };

/* ---- checksums ------------------------------------------------------------------------------- */

struct adler {
    uint32_t a, b;
};

/* Number of bytes that can be added before the sums overflow. */
static void adler_add(struct adler *adler, const uint8_t *bytes, size_t size)
{
    enum { AT_ONCE = 5552, PRIME = 65521 };
    while (size) {
        size_t count = size < AT_ONCE ? size : AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            adler->a += bytes[i];
            adler->b += adler->a;
        }
        adler->a %= PRIME;
        adler->b %= PRIME;
        bytes += count;
        size -= count;
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

static void number_put(char *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (char)(number >> (24 - 8 * i));
}

static void file_add_number(struct swi_text *file, uint32_t number)
{
    char bytes[4];
    number_put(bytes, number);
    swi_text_add(file, bytes, sizeof bytes);
}

/* Returns where the chunk is. */
static size_t chunk_begin(struct swi_text *file, const char *type)
{
    size_t at = file->size;
    file_add_number(file, 0);
    swi_text_add(file, type, 4);
    return at;
}

static void chunk_end(struct swi_text *file, size_t at)
{
    if (file->failed)
        return;
    size_t size = file->size - at - 8;
    number_put(file->data + at, (uint32_t)size);
    file_add_number(file, swi_crc32(0, file->data + at + 4, size + 4));
}

static void header_add(struct swi_text *file, int width, int height, int channels)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const uint8_t colour = channels == 1 ? 0 : channels == 3 ? 2 : 6;
    const uint8_t rest[] = {8, colour, 0, 0, 0};
    swi_text_add(file, (const char *)signature, sizeof signature);
    size_t chunk = chunk_begin(file, "IHDR");
    file_add_number(file, (uint32_t)width);
    file_add_number(file, (uint32_t)height);
    swi_text_add(file, (const char *)rest, sizeof rest);
    chunk_end(file, chunk);
}

/* ---- rows, stored ---------------------------------------------------------------------------- */

/* Writes a stream of uncompressed blocks. */
struct storing {
    struct swi_text *file;
    struct adler adler;
    size_t left;  /* bytes that are still missing */
    size_t block; /* of these, bytes in the current block */
};

static void stored_block_begin(struct storing *to)
{
    size_t size = to->left < STORED_MOST ? to->left : STORED_MOST;
    const uint8_t head[] = {size == to->left, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)~size,
                            (uint8_t)(~size >> 8)};
    swi_text_add(to->file, (const char *)head, sizeof head);
    to->block = size;
}

static void stored_add(struct storing *to, const uint8_t *bytes, size_t size)
{
    adler_add(&to->adler, bytes, size);
    while (size) {
        if (!to->block)
            stored_block_begin(to);
        size_t part = size < to->block ? size : to->block;
        swi_text_add(to->file, (const char *)bytes, part);
        to->block -= part;
        to->left -= part;
        bytes += part;
        size -= part;
    }
}

static void rows_store(struct swi_text *file, const uint8_t *pixel, size_t row, size_t height)
{
    static const uint8_t zlib_head[] = {0x78, 0x01}, no_filter = 0;
    struct storing to = {.file = file, .adler = {.a = 1}, .left = height * (row + 1)};
    swi_text_add(file, (const char *)zlib_head, sizeof zlib_head);
    for (size_t y = 0; y < height; y++) {
        stored_add(&to, &no_filter, 1);
        stored_add(&to, pixel + y * row, row);
    }
    file_add_number(file, to.adler.b << 16 | to.adler.a);
}

/* ---- rows, compressed ------------------------------------------------------------------------ */

#ifdef HAVE_ZLIB
static void row_filter(uint8_t *to, const uint8_t *from, size_t size, size_t channels)
{
    *to++ = 1; /* filter: the difference to the left pixel */
    memcpy(to, from, channels);
    for (size_t i = channels; i < size; i++)
        to[i] = (uint8_t)(from[i] - from[i - channels]);
}

/* Passes the input to zlib, and its output to the file. */
static void deflate_into(struct swi_text *file, const struct zlib *zlib, z_stream *stream,
                         int flush)
{
    enum { ROOM = 64 << 10 };
    do {
        if (!swi_text_reserve(file, ROOM))
            return;
        stream->next_out = (Bytef *)file->data + file->size;
        stream->avail_out = ROOM;
        zlib->deflate(stream, flush);
        file->size += ROOM - stream->avail_out;
    } while (stream->avail_out == 0);
}

static bool rows_deflate(struct swi_text *file, const uint8_t *pixel, size_t row, size_t height,
                         size_t channels)
{
    const struct zlib *zlib = zlib_get();
    z_stream stream = {0};
    uint8_t *filtered = zlib ? malloc(row + 1) : NULL;
    if (!filtered || zlib->init(&stream, 1, ZLIB_VERSION, (int)sizeof stream) != Z_OK) {
        free(filtered);
        return false;
    }
    for (size_t y = 0; y < height; y++) {
        row_filter(filtered, pixel + y * row, row, channels);
        stream.next_in = filtered;
        stream.avail_in = (uInt)(row + 1);
        deflate_into(file, zlib, &stream, y + 1 == height ? Z_FINISH : Z_NO_FLUSH);
    }
    zlib->end(&stream);
    free(filtered);
    return true;
}
#else
static bool rows_deflate(struct swi_text *file, const uint8_t *pixel, size_t row, size_t height,
                         size_t channels)
{
    (void)file;
    (void)pixel;
    (void)row;
    (void)height;
    (void)channels;
    return false;
}
#endif

/* ---- all of it ------------------------------------------------------------------------------- */

/* Gives back what was reserved and not needed. */
static uint8_t *file_take(struct swi_text *file, size_t *size)
{
    if (file->failed) {
        swi_text_free(file);
        return NULL;
    }
    void *data = realloc(file->data, file->size);
    *size = file->size;
    /* cppcheck-suppress memleak ; it is returned */
    return data ? data : (uint8_t *)file->data;
}

/* Makes a file of pixels, row by row without gaps. channels: 1, 3 or 4. compressed: by zlib, if
 * there is one; else the pixels are stored as they are. size: set to that of the file. Returns the
 * file, the caller's to free(); NULL if out of memory. */
static uint8_t *png_new(const uint8_t *pixel, int width, int height, int channels, bool compressed,
                        size_t *size)
{
    struct swi_text file = {0};
    size_t row = (size_t)width * (size_t)channels, rows = (size_t)height;
    header_add(&file, width, height, channels);
    size_t chunk = chunk_begin(&file, "IDAT");
    if (!compressed || !rows_deflate(&file, pixel, row, rows, (size_t)channels))
        rows_store(&file, pixel, row, rows);
    chunk_end(&file, chunk);
    chunk_end(&file, chunk_begin(&file, "IEND"));
    return file_take(&file, size);
}

/* ---- the images of one value, and the files that are made of them ---------------------------- */

void swi_made_files_free(struct swi_made_file **made)
{
    for (struct swi_made_file *file = *made, *next; file; file = next) {
        next = file->next;
        free(file->file);
        free(file);
    }
    *made = NULL;
}

void swi_picture_set_init(struct swi_picture_set *set, struct swi_picture *picture, size_t count,
                          struct swi_budget *budget)
{
    set->pictures = (struct sw_pictures){.size = sizeof set->pictures,
                                         .count = count,
                                         .stride = sizeof *picture,
                                         .picture = &picture->picture};
    set->picture = picture;
    set->budget = budget;
    pthread_mutex_init(&set->lock, NULL);
    for (size_t i = 0; i < count; i++) {
        picture[i] = (struct swi_picture){.set = set};
        picture[i].picture.size = sizeof picture->picture;
        picture[i].picture.sha256 = picture[i].sha256;
    }
}

void swi_picture_set_fini(struct swi_picture_set *set)
{
    for (size_t i = 0; i < set->pictures.count; i++) {
        if (!set->picture[i].png)
            continue;
        swi_budget_give(set->budget, set->picture[i].png_size);
        free(set->picture[i].png);
    }
    pthread_mutex_destroy(&set->lock);
}

/* If the budget is full, only the caller has the file, and frees it after the record. */
static bool png_keep(struct swi_picture *picture, struct swi_made_file **made, uint8_t *png,
                     size_t size)
{
    if (swi_budget_take(picture->set->budget, size)) {
        picture->png = png;
        picture->png_size = size;
        return true;
    }
    struct swi_made_file *file = malloc(sizeof *file);
    if (!file)
        return false;
    *file = (struct swi_made_file){*made, png};
    *made = file;
    return true;
}

/* With the lock held. */
static int png_make(struct swi_picture *picture, struct swi_made_file **made, const void **bytes,
                    size_t *size)
{
    const struct sw_picture *p = &picture->picture;
    uint8_t *png = png_new(p->pixel, p->width, p->height, p->channels, true, size);
    if (!png)
        return SW_ENOMEM;
    if (!png_keep(picture, made, png, *size)) {
        free(png);
        return SW_ENOMEM;
    }
    *bytes = png;
    return 0;
}

static int encode(struct swi_picture *picture, struct swi_made_file **made, const void **bytes,
                  size_t *size)
{
    const struct sw_picture *p = &picture->picture;
    int rc = 0;
    if (p->encoded) {
        *bytes = p->encoded;
        *size = p->encoded_size;
    } else if (picture->png) {
        *bytes = picture->png;
        *size = picture->png_size;
    } else {
        rc = png_make(picture, made, bytes, size);
    }
    if (rc == 0 && !*picture->sha256)
        swi_sha256_hex(*bytes, *size, picture->sha256);
    return rc;
}

int swi_picture_encode(const struct sw_picture *picture, struct swi_made_file **made,
                       const void **bytes, size_t *size)
{
    struct swi_picture *own = (struct swi_picture *)(uintptr_t)picture;
    pthread_mutex_lock(&own->set->lock);
    int rc = encode(own, made, bytes, size);
    pthread_mutex_unlock(&own->set->lock);
    return rc;
}
