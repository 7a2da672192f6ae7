/* SPDX-License-Identifier: MIT */
/* vector.h - reads the elements of an array of any type in parts that fit into the first-level
 * cache. */
#ifndef CORE_MEDIA_VECTOR_H
#define CORE_MEDIA_VECTOR_H

#include <stepwatch/values.h>

enum { SWI_PART = 256 };

struct swi_vector {
    enum sw_type type; /* not SW_BOOL or SW_TEXT */
    const void *data;  /* at any address */
    size_t count;
};

/* Elements that were read, as doubles: the finite ones. */
struct swi_elements {
    size_t count;
    double value[SWI_PART];
};

/* Reads the part that begins with element `at`. */
void swi_vector_read(struct swi_elements *part, const struct swi_vector *vector, size_t at);

#endif
