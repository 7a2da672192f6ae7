/* SPDX-License-Identifier: MIT */
/* png.h - writes PNG files of 8 bits: PNG 1.2, https://www.w3.org/TR/png/. */
#ifndef CORE_MEDIA_PNG_H
#define CORE_MEDIA_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a file of pixels, row by row without gaps. channels: 1, 3 or 4. compressed: by zlib, if
 * there is one; else the pixels are stored as they are. size: set to that of the file. Returns the
 * file, the caller's to free(); NULL if out of memory. */
uint8_t *swi_png_new(const uint8_t *pixel, int width, int height, int channels, bool compressed,
                     size_t *size);

#endif
