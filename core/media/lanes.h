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

/* ---- numbers of 16 bits as floats ------------------------------------------------------------ */

static inline float swi_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The upper half of a float. */
static inline float swi_bfloat(uint16_t bits)
{
    return swi_float_of_bits((uint32_t)bits << 16);
}

/* binary16 of IEEE 754. The exponent is moved by a multiplication, which also makes normal numbers
 * of subnormal ones; infinity and NAN have the greatest exponent in both. */
static inline float swi_half(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00)
        return swi_float_of_bits(sign | UINT32_C(0x7f800000) | (rest & 0x3ff) << 13);
    float value = swi_float_of_bits(rest << 13) * 0x1p112f;
    return sign ? -value : value;
}

#endif
