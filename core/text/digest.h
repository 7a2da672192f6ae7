/* SPDX-License-Identifier: MIT */
/* digest.h - digests and checksums: SHA-256, which names files by their content, and CRC-32. */
#ifndef CORE_TEXT_DIGEST_H
#define CORE_TEXT_DIGEST_H

#include "core/text/buffer.h"

#include <stddef.h>
#include <stdint.h>

/* The CRC of .wandb files, PNG, gzip and of names: IEEE 802.3, reflected, like that of zlib. crc:
 * of the bytes before; 0: there are none. */
uint32_t swi_crc32(uint32_t crc, const void *bytes, size_t size);

/* 64 hexadecimal digits and a NUL. */
void swi_sha256_hex(const void *bytes, size_t size, char hex[65]);

/* The same of what comes in parts. */
struct swi_sha256 {
    uint32_t h[8];
    uint64_t size;
    size_t left; /* bytes of a block that is not complete */
    unsigned char rest[64];
};
void swi_sha256_init(struct swi_sha256 *sha);
void swi_sha256_add(struct swi_sha256 *sha, const void *bytes, size_t size);
void swi_sha256_end(struct swi_sha256 *sha, char hex[65]);

/* ---- bytes as text: RFC 4648 ----------------------------------------------------------------- */

enum swi_base64 {
    SWI_BASE64,        /* with + and /, filled up with = */
    SWI_BASE64_ADDRESS /* with - and _, and not filled up: RFC 4648, section 5 */
};

void swi_base64_add(struct swi_text *text, const void *bytes, size_t size, enum swi_base64 as);

/* Writes the same to memory that has room for 4 characters for each 3 bytes, and a NUL. */
char *swi_base64_put(char *to, const void *bytes, size_t size, enum swi_base64 as);

/* Decodes a text of this length. bytes has room for 3 bytes of each 4 characters. Returns how many
 * bytes it is, or SIZE_MAX if it is not base64. */
size_t swi_base64_read(void *bytes, const char *text, size_t length);

#endif
