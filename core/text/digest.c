/* SPDX-License-Identifier: MIT */
/* SHA-256 as FIPS 180-4 has it. */
#include "core/text/digest.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

static const uint32_t roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[64], const unsigned char *block)
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
}

static void compress(uint32_t h[8], const unsigned char *block)
{
    uint32_t w[64], s[8];
    schedule(w, block);
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t one = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + roots[i] + w[i];
        uint32_t a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t two = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

/* The last bytes, a one bit, zeros, and the length in bits. */
static void finish(uint32_t h[8], const unsigned char *rest, size_t left, uint64_t bits)
{
    unsigned char block[128] = {0};
    size_t size = left < 56 ? 64 : 128;
    memcpy(block, rest, left);
    block[left] = 0x80;
    for (size_t i = 0; i < 8; i++)
        block[size - 1 - i] = (unsigned char)(bits >> (8 * i));
    compress(h, block);
    if (size == 128)
        compress(h, block + 64);
}

void swi_sha256_init(struct swi_sha256 *sha)
{
    *sha = (struct swi_sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                     0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

/* Completes a block that was begun; returns how many bytes it took. */
static size_t rest_fill(struct swi_sha256 *sha, const unsigned char *bytes, size_t size)
{
    size_t room = sizeof sha->rest - sha->left, taken = size < room ? size : room;
    if (sha->left == 0 && size >= sizeof sha->rest)
        return 0;
    memcpy(sha->rest + sha->left, bytes, taken);
    sha->left += taken;
    if (sha->left == sizeof sha->rest) {
        compress(sha->h, sha->rest);
        sha->left = 0;
    }
    return taken;
}

void swi_sha256_add(struct swi_sha256 *sha, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    sha->size += size;
    while (size) {
        size_t taken = rest_fill(sha, bytes, size);
        for (bytes += taken, size -= taken; sha->left == 0 && size >= 64; bytes += 64, size -= 64)
            compress(sha->h, bytes);
    }
}

void swi_sha256_end(struct swi_sha256 *sha, char hex[65])
{
    finish(sha->h, sha->rest, sha->left, sha->size * 8);
    for (size_t i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", sha->h[i]);
}

void swi_sha256_hex(const void *bytes, size_t size, char hex[65])
{
    struct swi_sha256 sha;
    swi_sha256_init(&sha);
    swi_sha256_add(&sha, bytes, size);
    swi_sha256_end(&sha, hex);
}

/* ---- bytes as text --------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *swi_base64_put(char *to, const void *bytes, size_t size, enum swi_base64 as)
{
    const unsigned char *from = bytes;
    for (; size; size -= size < 3 ? size : 3, from += 3) {
        unsigned three = (unsigned)from[0] << 16 | (size > 1 ? (unsigned)from[1] << 8 : 0) |
                         (size > 2 ? from[2] : 0);
        size_t count = size < 3 ? size + 1 : 4;
        for (size_t k = 0; k < count; k++) {
            char digit = digits[three >> (18 - 6 * k) & 63];
            *to++ = as == SWI_BASE64 ? digit : digit == '+' ? '-' : digit == '/' ? '_' : digit;
        }
        for (; as == SWI_BASE64 && count < 4; count++)
            *to++ = '=';
    }
    *to = '\0';
    return to;
}

void swi_base64_add(struct swi_text *text, const void *bytes, size_t size, enum swi_base64 as)
{
    if (size > SIZE_MAX / 4 * 3 - 3 || !swi_text_reserve(text, (size + 2) / 3 * 4))
        return;
    text->size = (size_t)(swi_base64_put(text->data + text->size, bytes, size, as) - text->data);
}

static int value_of(char digit)
{
    const char *found = digit ? strchr(digits, digit) : NULL;
    return found ? (int)(found - digits) : -1;
}

size_t swi_base64_read(void *bytes, const char *text, size_t length)
{
    unsigned char *to = bytes;
    unsigned held = 0;
    int bits = 0;
    if (length % 4)
        return SIZE_MAX;
    while (length && text[length - 1] == '=' && length % 4 != 2)
        length--;
    if (length % 4 == 1)
        return SIZE_MAX;
    for (size_t i = 0; i < length; i++) {
        int value = value_of(text[i]);
        if (value < 0)
            return SIZE_MAX;
        held = held << 6 | (unsigned)value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            *to++ = (unsigned char)(held >> bits);
        }
    }
    return (size_t)(to - (unsigned char *)bytes);
}
