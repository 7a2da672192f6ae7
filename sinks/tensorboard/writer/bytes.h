/* SPDX-License-Identifier: MIT */
/* bytes.h - little-endian numbers, on any machine. */
#ifndef TENSORBOARD_BYTES_H
#define TENSORBOARD_BYTES_H

#include <stddef.h>
#include <stdint.h>

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

#endif
