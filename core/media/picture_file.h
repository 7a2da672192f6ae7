/* SPDX-License-Identifier: MIT */
/* picture_file.h - what kind of image file some bytes are, and of which size. */
#ifndef CORE_MEDIA_PICTURE_FILE_H
#define CORE_MEDIA_PICTURE_FILE_H

#include <stddef.h>

struct swi_picture_file {
    const char *format; /* "png", "jpg" or "gif" */
    int width, height;
};

/* Reads the head of a file. Returns NULL, or what is wrong with it, as static text. */
const char *swi_picture_file_read(struct swi_picture_file *file, const void *bytes, size_t size);

#endif
