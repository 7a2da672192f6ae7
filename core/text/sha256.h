/* SPDX-License-Identifier: MIT */
/* sha256.h - the hash that names files by their content. */
#ifndef CORE_TEXT_SHA256_H
#define CORE_TEXT_SHA256_H

#include <stddef.h>
#include <stdint.h>

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

#endif
