/* SPDX-License-Identifier: MIT */
/* crc32.h - the checksum of .wandb files: IEEE 802.3, reflected, as zlib's. */
#ifndef SINKS_WANDB_FILE_CRC32_H
#define SINKS_WANDB_FILE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from the checksum of what is before; 0: nothing is. */
uint32_t swi_wandb_crc32(uint32_t crc, const void *bytes, size_t size);

#endif
