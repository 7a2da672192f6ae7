/* SPDX-License-Identifier: MIT */
/* crc32.c - sixteen bytes at once with the processor's multiplication without carries, if it has
 * one; the rest by table, eight bytes at once: table[k] has the effect of a byte on the checksum k
 * bytes later. */
#include "core/text/crc32.h"

#include <pthread.h>
#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <smmintrin.h>
#include <wmmintrin.h>
#endif

/* ---- by table -------------------------------------------------------------------------------- */

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

static uint32_t by_table(uint32_t crc, const unsigned char *byte, size_t size)
{
    for (; size >= SLICES; size -= SLICES, byte += SLICES)
        crc = four(table + 4, crc ^ little(byte)) ^ four(table, little(byte + 4));
    for (; size; size--, byte++)
        crc = crc >> 8 ^ table[0][(crc ^ *byte) & 255];
    return crc;
}

/* ---- by multiplication ----------------------------------------------------------------------- */

enum { BLOCK = 16, BLOCKS_LEAST = 2 };

static bool multiplies;

#if defined(__x86_64__)

#define MULTIPLIES __attribute__((target("pclmul,sse4.1"))) static

static void multiplication_find(void)
{
    unsigned a, b, c, d;
    multiplies = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_PCLMUL) && (c & bit_SSE4_1);
}

/* Adds the effect of 128 bits to those that come 128 bits later. */
MULTIPLIES __m128i fold(__m128i sum, __m128i powers, const unsigned char *block)
{
    __m128i low = _mm_clmulepi64_si128(sum, powers, 0x00);
    __m128i high = _mm_clmulepi64_si128(sum, powers, 0x11);
    __m128i next = _mm_loadu_si128((const __m128i *)(const void *)block);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Reduces 128 bits to 64, and these to 32 (Barrett). */
MULTIPLIES uint32_t reduced(__m128i sum, __m128i powers)
{
    const __m128i x64 = _mm_set_epi64x(0, 0x163cd6124);
    const __m128i polynomial = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i low = _mm_set_epi32(0, -1, 0, -1);
    sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, powers, 0x10));
    __m128i rest = _mm_clmulepi64_si128(_mm_and_si128(sum, low), x64, 0x00);
    sum = _mm_xor_si128(_mm_srli_si128(sum, 4), rest);
    __m128i count = _mm_clmulepi64_si128(_mm_and_si128(sum, low), polynomial, 0x10);
    __m128i times = _mm_clmulepi64_si128(_mm_and_si128(count, low), polynomial, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(sum, times), 1);
}

/* After V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction", Intel, 2009: the constants are powers of x modulo the polynomial, reflected. */
MULTIPLIES uint32_t by_multiplication(uint32_t crc, const unsigned char *byte, size_t blocks)
{
    const __m128i powers = _mm_set_epi64x(0xccaa009e, 0x1751997d0);
    __m128i sum = _mm_loadu_si128((const __m128i *)(const void *)byte);
    sum = _mm_xor_si128(sum, _mm_cvtsi32_si128((int)crc));
    while (--blocks)
        sum = fold(sum, powers, byte += BLOCK);
    return reduced(sum, powers);
}

#else

static void multiplication_find(void)
{
}

static uint32_t by_multiplication(uint32_t crc, const unsigned char *byte, size_t blocks)
{
    return by_table(crc, byte, blocks * BLOCK);
}

#endif

/* ---- all ------------------------------------------------------------------------------------- */

static void prepare(void)
{
    tables_make();
    multiplication_find();
}

uint32_t swi_crc32(uint32_t crc, const void *bytes, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const unsigned char *byte = bytes;
    size_t blocks = size / BLOCK;
    pthread_once(&once, prepare);
    crc = ~crc;
    if (multiplies && blocks >= BLOCKS_LEAST) {
        crc = by_multiplication(crc, byte, blocks);
        byte += blocks * BLOCK;
        size -= blocks * BLOCK;
    }
    return ~by_table(crc, byte, size);
}
