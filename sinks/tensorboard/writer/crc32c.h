/* SPDX-License-Identifier: MIT */
/* crc32c.h - the checksum of event files: CRC-32C (Castagnoli), by the CPU's instruction where it
 * has one. */
#ifndef TENSORBOARD_CRC32C_H
#define TENSORBOARD_CRC32C_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t swi_crc32c_fn(const uint8_t *data, size_t size);

/* By a table: any CPU. */
uint32_t swi_crc32c_table(const uint8_t *data, size_t size);

/* By the instruction of x86-64 with SSE 4.2 and of ARMv8 with CRC; NULL where this CPU has none. */
swi_crc32c_fn *swi_crc32c_hardware(void);

/* The fastest that this CPU has. */
swi_crc32c_fn *swi_crc32c_choose(void);

/* How the format stores a checksum, so that a file within a file does not look like its own. */
static inline uint32_t swi_crc32c_mask(uint32_t crc)
{
    return ((crc >> 15) | (crc << 17)) + UINT32_C(0xa282ead8);
}

#endif
