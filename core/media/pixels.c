/* SPDX-License-Identifier: MIT */
/* pixels.c - the pixels of a program as 8 bits, row by row: loops that the compiler vectorises,
 * even at -O2. */
#include "core/media/pictures.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif
#include "core/media/lanes.h"

#include <math.h>

size_t swi_type_size(enum sw_type type)
{
    static const unsigned char size[] = {
        [SW_U8] = 1,  [SW_I32] = 4,  [SW_I64] = 8,  [SW_F32] = 4, [SW_F64] = 8,
        [SW_F16] = 2, [SW_BF16] = 2, [SW_BOOL] = 1, [SW_TEXT] = 0};
    return (size_t)type < sizeof size ? size[type] : 0;
}

/* Number of elements in a stored row: those of one channel in SW_CHW. */
static size_t row_count(const struct sw_image *image)
{
    return (size_t)image->width * (image->layout == SW_CHW ? 1 : (size_t)image->channels);
}

static size_t row_distance(const struct sw_image *image)
{
    return image->row_bytes ? image->row_bytes : row_count(image) * swi_type_size(image->type);
}

size_t swi_pixels_span(const struct sw_image *image)
{
    size_t row = row_count(image) * swi_type_size(image->type), distance = row_distance(image);
    size_t rows = (size_t)image->height, span;
    if (image->layout == SW_CHW)
        rows *= (size_t)image->channels;
    if (distance < row || __builtin_mul_overflow(rows - 1, distance, &span) ||
        __builtin_add_overflow(span, row, &span))
        return 0;
    return span;
}

/* `low` becomes black; a value less `low`, times `scale`, is 0 to 255. */
struct grey_range {
    double low, scale;
};

/* NAN becomes 0, because it is not greater than 0. Halves are rounded up. Tests one condition at a
 * time and does not jump, because pixels are not predictable. */
#define BYTE_PUT(to, x)                                                                            \
    do {                                                                                           \
        (x) = (x) > 0 ? (x) : 0;                                                                   \
        (x) = (x) < 255 ? (x) : 255;                                                               \
        (to) = (uint8_t)(int32_t)((x) + 0.5f);                                                     \
    } while (0)

static void floats_put(uint8_t *to, const float *from, size_t count, const struct grey_range *range)
{
    float low = (float)range->low, scale = (float)range->scale;
    for (size_t i = 0; i < count; i++) {
        float x = (from[i] - low) * scale;
        BYTE_PUT(to[i], x);
    }
}

static void doubles_put(uint8_t *to, const double *from, size_t count,
                        const struct grey_range *range)
{
    double low = range->low, scale = range->scale;
    for (size_t i = 0; i < count; i++) {
        double x = (from[i] - low) * scale;
        BYTE_PUT(to[i], x);
    }
}

enum { PART = 256 };

/* Returns whether float is exact enough: one grey level must be larger than its rounding error. */
static bool floats_suffice(const struct grey_range *range)
{
    double width = 255 / fabs(range->scale);
    return width > 1e-30 && width < 1e30 && fabs(range->low) < 1e3 * width;
}

/* Elements may be at any address. */
static void part_put(uint8_t *to, const char *from, size_t count, enum sw_type type,
                     const struct grey_range *range)
{
    float single[PART];
    double wide[PART];
    uint16_t half[PART];
    if (type == SW_F64) {
        memcpy(wide, from, count * sizeof *wide);
        doubles_put(to, wide, count, range);
        return;
    }
    if (type == SW_F32) {
        memcpy(single, from, count * sizeof *single);
    } else {
        memcpy(half, from, count * sizeof *half);
        for (size_t i = 0; i < count; i++)
            single[i] = type == SW_F16 ? swi_half(half[i]) : swi_bfloat(half[i]);
    }
    if (floats_suffice(range)) {
        floats_put(to, single, count, range);
        return;
    }
    for (size_t i = 0; i < count; i++)
        wide[i] = (double)single[i];
    doubles_put(to, wide, count, range);
}

static void row_put(uint8_t *to, const char *from, size_t count, enum sw_type type,
                    const struct grey_range *range)
{
    size_t size = swi_type_size(type);
    if (type == SW_U8) {
        memcpy(to, from, count);
        return;
    }
    for (; count; count -= count < PART ? count : PART, to += PART, from += PART * size)
        part_put(to, from, count < PART ? count : PART, type, range);
}

/* Converts a part of a row of one channel into its pixels. */
static void channel_put(uint8_t *to, const uint8_t *from, size_t count, size_t channels)
{
    for (size_t i = 0; i < count; i++)
        to[i * channels] = from[i];
}

static void plane_row_put(uint8_t *to, const char *from, const struct sw_image *image,
                          const struct grey_range *range)
{
    uint8_t part[PART];
    size_t count = (size_t)image->width, size = swi_type_size(image->type);
    for (size_t x = 0; x < count; x += PART) {
        size_t n = count - x < PART ? count - x : PART;
        row_put(part, from + x * size, n, image->type, range);
        channel_put(to + x * (size_t)image->channels, part, n, (size_t)image->channels);
    }
}

void swi_pixels_put(uint8_t *to, const struct sw_image *image)
{
    double low = image->low, high = image->low == 0 && image->high == 0 ? 1 : image->high;
    const struct grey_range range = {low, 255 / (high - low)};
    size_t height = (size_t)image->height, channels = (size_t)image->channels;
    size_t row = (size_t)image->width * channels, distance = row_distance(image);
    const char *from = image->data;
    if (image->layout != SW_CHW || channels == 1) {
        /* Without gaps, all rows form a single one. */
        bool gaps = distance != row * swi_type_size(image->type);
        size_t rows = gaps ? height : 1, length = gaps ? row : row * height;
        for (size_t y = 0; y < rows; y++)
            row_put(to + y * length, from + y * distance, length, image->type, &range);
        return;
    }
    for (size_t y = 0; y < height; y++)
        for (size_t c = 0; c < channels; c++)
            plane_row_put(to + y * row + c, from + (c * height + y) * distance, image, &range);
}

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
