/* SPDX-License-Identifier: MIT */
/* bytes.h - little-endian numbers and varints, on any machine. */
#ifndef TENSORBOARD_BYTES_H
#define TENSORBOARD_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Compilers make one store of these. */
static inline uint8_t *swi_put32(uint8_t *to, uint32_t n)
{
    to[0] = (uint8_t)n;
    to[1] = (uint8_t)(n >> 8);
    to[2] = (uint8_t)(n >> 16);
    to[3] = (uint8_t)(n >> 24);
    return to + 4;
}

static inline uint8_t *swi_put64(uint8_t *to, uint64_t n)
{
    swi_put32(to, (uint32_t)n);
    swi_put32(to + 4, (uint32_t)(n >> 32));
    return to + 8;
}

static inline uint64_t swi_get64(const uint8_t *from)
{
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--)
        n = n << 8 | from[i];
    return n;
}

static inline uint8_t *swi_put_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return swi_put64(to, bits);
}

static inline uint8_t *swi_put_float(uint8_t *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return swi_put32(to, bits);
}

/* The varint of protobuf: 7 bits a byte, the lowest first. */
static inline uint8_t *swi_put_varint(uint8_t *to, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        *to++ = (uint8_t)(n | 0x80);
    *to++ = (uint8_t)n;
    return to;
}

static inline size_t swi_varint_size(uint64_t n)
{
    size_t size = 1;
    for (; n >= 0x80; n >>= 7)
        size++;
    return size;
}

#endif
