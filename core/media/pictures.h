/* SPDX-License-Identifier: MIT */
/* pictures.h - images: their pixels, those of one value, and the files that are made of them. */
#ifndef CORE_MEDIA_PICTURES_H
#define CORE_MEDIA_PICTURES_H

#include "core/media/budget.h"

#include <stepwatch/value_records.h>
#include <stepwatch/values.h>

#include <stddef.h>

struct swi_picture_set;

struct swi_picture {
    struct sw_picture picture; /* first: sinks give a pointer to it back */
    struct swi_picture_set *set;
    uint8_t *png; /* NULL: none was made yet, or it was not kept */
    size_t png_size;
    char sha256[65];
};

/* In one block with its images and all that they point to. */
struct swi_picture_set {
    struct sw_pictures pictures;
    struct swi_budget *budget;
    pthread_mutex_t lock; /* to make files */
    struct swi_picture *picture;
};

/* Files that are not kept, as the budget is full: those of one record. Begins as NULL. */
struct swi_made_file {
    struct swi_made_file *next;
    uint8_t *file;
};
void swi_made_files_free(struct swi_made_file **made);

/* Fills in all but the images themselves. */
void swi_picture_set_init(struct swi_picture_set *set, struct swi_picture *picture, size_t count,
                          struct swi_budget *budget);
void swi_picture_set_fini(struct swi_picture_set *set);

/* The file of an image of a set; made once. Others wait for it meanwhile. 0 or SW_ENOMEM. */
int swi_picture_encode(const struct sw_picture *picture, struct swi_made_file **made,
                       const void **bytes, size_t *size);

/* ---- pixels.c -------------------------------------------------------------------------------- */

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
