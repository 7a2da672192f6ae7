/* SPDX-License-Identifier: MIT */
/* crc32.c - by table, eight bytes at once: table[k] has the effect of a byte on the checksum k
 * bytes later. */
#include "core/text/crc32.h"

#include <pthread.h>

enum { SLICES = 8 };

static uint32_t table[SLICES][256];

static void tables_make(void)
{
    static const uint32_t polynomial = 0xedb88320;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
        table[0][byte] = crc;
    }
    for (int k = 1; k < SLICES; k++)
        for (uint32_t byte = 0; byte < 256; byte++)
            table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 255];
}

static uint32_t little(const unsigned char *byte)
{
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

/* Returns the effect of four bytes on the checksum. The last byte uses the first slice. */
static uint32_t four(uint32_t slice[][256], uint32_t bytes)
{
    return slice[3][bytes & 255] ^ slice[2][bytes >> 8 & 255] ^ slice[1][bytes >> 16 & 255] ^
           slice[0][bytes >> 24];
}

uint32_t swi_crc32(uint32_t crc, const void *bytes, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const unsigned char *byte = bytes;
    pthread_once(&once, tables_make);
    crc = ~crc;
    for (; size >= SLICES; size -= SLICES, byte += SLICES)
        crc = four(table + 4, crc ^ little(byte)) ^ four(table, little(byte + 4));
    for (; size; size--, byte++)
        crc = crc >> 8 ^ table[0][(crc ^ *byte) & 255];
    return ~crc;
}
