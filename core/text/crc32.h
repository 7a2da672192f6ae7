/* SPDX-License-Identifier: MIT */
/* crc32.h - the checksum of .wandb files, PNG, gzip and of names: IEEE 802.3, reflected, like that
 * of zlib. */
#ifndef CORE_TEXT_CRC32_H
#define CORE_TEXT_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues the checksum of the bytes before; 0: there are none. */
uint32_t swi_crc32(uint32_t crc, const void *bytes, size_t size);

#endif
