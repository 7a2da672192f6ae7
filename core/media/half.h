/* SPDX-License-Identifier: MIT */
/* half.h - numbers of 16 bits as floats. */
#ifndef CORE_MEDIA_HALF_H
#define CORE_MEDIA_HALF_H

#include <stdint.h>
#include <string.h>

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
