/* SPDX-License-Identifier: MIT */
/* pixels.h - the pixels of a program as 8 bits, row by row. */
#ifndef CORE_MEDIA_PIXELS_H
#define CORE_MEDIA_PIXELS_H

#include <stepwatch/values.h>

#include <stddef.h>

/* Bytes of an element; 0 if a type has none of one size. */
size_t swi_type_size(enum sw_type type);

/* Bytes from the first pixel of an image to its last; 0 if that overflows, or its rows overlap. */
size_t swi_pixels_span(const struct sw_image *image);

/* Writes width * height * channels bytes. The image is checked. */
void swi_pixels_put(uint8_t *to, const struct sw_image *image);

/* ---- what kind of image file some bytes are, and of which size ------------------------------- */

struct swi_picture_file {
    const char *format; /* "png", "jpg" or "gif" */
    int width, height;
};

/* Reads the head of a file. Returns NULL, or what is wrong with it, as static text. */
const char *swi_picture_file_read(struct swi_picture_file *file, const void *bytes, size_t size);

#endif
