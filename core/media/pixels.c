/* SPDX-License-Identifier: MIT */
/* pixels.c - loops that the compiler vectorises, even at -O2. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif
#include "core/media/pixels.h"
#include "core/media/half.h"

#include <math.h>
#include <string.h>

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
