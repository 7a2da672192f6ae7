/* SPDX-License-Identifier: MIT */
/* picture_file.c - reads the heads of PNG (https://www.w3.org/TR/png/), JPEG (ITU T.81) and GIF
 * (GIF89a). It does not decode pixels, because browsers do that. */
#include "core/media/picture_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    const uint8_t *at;
    size_t left;
};

static uint32_t big(const uint8_t *at, int count)
{
    uint32_t number = 0;
    for (int i = 0; i < count; i++)
        number = number << 8 | at[i];
    return number;
}

static void skip(struct bytes *bytes, size_t count)
{
    bytes->at += count;
    bytes->left -= count;
}

/* Returns whether all chunks are there, which is not so if the file was cut off. */
static bool png_is_whole(struct bytes bytes)
{
    skip(&bytes, 8);
    while (bytes.left >= 12) {
        size_t size = big(bytes.at, 4);
        if (size > bytes.left - 12)
            return false;
        if (memcmp(bytes.at + 4, "IEND", 4) == 0)
            return true;
        skip(&bytes, size + 12);
    }
    return false;
}

static const char *png_read(struct swi_picture_file *file, struct bytes bytes)
{
    file->format = "png";
    if (bytes.left < 33 || big(bytes.at + 8, 4) != 13 || memcmp(bytes.at + 12, "IHDR", 4) != 0)
        return "the PNG file has no header";
    file->width = (int)(big(bytes.at + 16, 4) & INT32_MAX);
    file->height = (int)(big(bytes.at + 20, 4) & INT32_MAX);
    return png_is_whole(bytes) ? NULL : "the PNG file is not complete";
}

/* Returns whether a marker begins a frame, which has the size. */
static bool is_frame(uint8_t marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static bool has_no_length(uint8_t marker)
{
    return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

static const char *jpeg_read(struct swi_picture_file *file, struct bytes bytes)
{
    file->format = "jpg";
    skip(&bytes, 2);
    while (bytes.left >= 4 && *bytes.at == 0xff) {
        uint8_t marker = bytes.at[1];
        if (marker == 0xff || has_no_length(marker)) {
            skip(&bytes, marker == 0xff ? 1 : 2);
            continue;
        }
        size_t size = big(bytes.at + 2, 2);
        if (size < 2 || size > bytes.left - 2 || marker == 0xda || marker == 0xd9)
            break;
        if (is_frame(marker) && size >= 8) {
            file->height = (int)big(bytes.at + 5, 2);
            file->width = (int)big(bytes.at + 7, 2);
            return NULL;
        }
        skip(&bytes, size + 2);
    }
    return "the JPEG file is not complete";
}

static const char *gif_read(struct swi_picture_file *file, struct bytes bytes)
{
    file->format = "gif";
    if (bytes.left < 14)
        return "the GIF file is not complete";
    file->width = bytes.at[6] | bytes.at[7] << 8;
    file->height = bytes.at[8] | bytes.at[9] << 8;
    return NULL;
}

static bool begins(struct bytes bytes, const char *with, size_t size)
{
    return bytes.left >= size && memcmp(bytes.at, with, size) == 0;
}

const char *swi_picture_file_read(struct swi_picture_file *file, const void *data, size_t size)
{
    const struct bytes bytes = {data, size};
    *file = (struct swi_picture_file){0};
    if (begins(bytes, "\x89PNG\r\n\x1a\n", 8))
        return png_read(file, bytes);
    if (begins(bytes, "\xff\xd8\xff", 3))
        return jpeg_read(file, bytes);
    if (begins(bytes, "GIF87a", 6) || begins(bytes, "GIF89a", 6))
        return gif_read(file, bytes);
    if (begins(bytes, "RIFF", 4) && size >= 12 && memcmp(bytes.at + 8, "WEBP", 4) == 0)
        return "it is a WebP file, which TensorBoard does not show; expected PNG, JPEG or GIF";
    return "it is not a PNG, JPEG or GIF file";
}
