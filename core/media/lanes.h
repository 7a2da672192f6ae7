/* SPDX-License-Identifier: MIT */
/* lanes.h - vectors of 16 bytes, which any machine has, for loops over arrays. Compilers keep them
 * in registers, but arrays of lanes in memory, where each addition waits for the one before. */
#ifndef CORE_MEDIA_LANES_H
#define CORE_MEDIA_LANES_H

#include <stdint.h>
#include <string.h>

enum { SWI_DOUBLES = 2, SWI_FLOATS = 4 };

typedef double swi_doubles __attribute__((vector_size(16)));
typedef int64_t swi_doubles_mask __attribute__((vector_size(16)));
typedef float swi_floats __attribute__((vector_size(16)));
typedef int32_t swi_floats_mask __attribute__((vector_size(16)));
typedef float swi_two_floats __attribute__((vector_size(8)));
typedef int32_t swi_two_ints __attribute__((vector_size(8)));

/* Read elements at any address into lanes, and write them back. They are macros because a function
 * that takes or returns such a vector would depend on the compiler's options. */
#define SWI_LANES_LOAD(lanes, from) memcpy(&(lanes), (from), sizeof(lanes))
#define SWI_LANES_STORE(to, lanes) memcpy((to), &(lanes), sizeof(lanes))

/* Returns the lanes of a where the mask is all ones, and those of b where it is 0. type: the type
 * of the mask. */
#define SWI_LANES_PICK(type, mask, a, b)                                                           \
    (__typeof__(a))(((type)(a) & (mask)) | ((type)(b) & ~(mask)))

#endif
