/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/values/artifact.h"
#include "core/text/digest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- MD5 (RFC 1321) -------------------------------------------------------------------------- */

static const uint32_t sine[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
static const unsigned char turns[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t mix(int round, uint32_t b, uint32_t c, uint32_t d)
{
    switch (round) {
    case 0:
        return (b & c) | (~b & d);
    case 1:
        return (d & b) | (~d & c);
    case 2:
        return b ^ c ^ d;
    default:
        return c ^ (b | ~d);
    }
}

/* Returns which word of the block a step uses: each round has its own order. */
static int word_of(int step)
{
    static const int times[] = {1, 5, 3, 7}, plus[] = {0, 1, 5, 0};
    return (step * times[step / 16] + plus[step / 16]) % 16;
}

static void compress(uint32_t h[4], const unsigned char *block)
{
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3];
    for (int i = 0; i < 64; i++) {
        const unsigned char *at = block + 4 * (size_t)word_of(i);
        uint32_t word =
            at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        uint32_t sum = a + mix(i / 16, b, c, d) + sine[i] + word;
        int n = turns[i / 16][i % 4];
        a = d;
        d = c;
        c = b;
        b += sum << n | sum >> (32 - n);
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
}

static const uint32_t begin[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

/* Hashes the last bytes, fewer than a block, of a text of this size. */
static void end(uint32_t h[4], const unsigned char *block, size_t left, uint64_t size,
                unsigned char digest[SWI_MD5_SIZE])
{
    unsigned char last[128] = {0};
    if (left)
        memcpy(last, block, left);
    last[left] = 0x80;
    size_t whole = left < 56 ? 64 : 128;
    for (size_t i = 0; i < 8; i++)
        last[whole - 8 + i] = (unsigned char)(size * 8 >> (8 * i));
    for (size_t at = 0; at < whole; at += 64)
        compress(h, last + at);
    for (size_t i = 0; i < SWI_MD5_SIZE; i++)
        digest[i] = (unsigned char)(h[i / 4] >> (8 * (i % 4)));
}

void swi_md5(const void *bytes, size_t size, unsigned char digest[SWI_MD5_SIZE])
{
    uint32_t h[4];
    const unsigned char *block = bytes;
    size_t left = size;
    memcpy(h, begin, sizeof h);
    for (; left >= 64; left -= 64, block += 64)
        compress(h, block);
    end(h, block, left, size, digest);
}

void swi_md5_base64(const void *bytes, size_t size, char text[25])
{
    unsigned char digest[SWI_MD5_SIZE];
    swi_md5(bytes, size, digest);
    swi_base64_put(text, digest, sizeof digest, SWI_BASE64);
}

bool swi_md5_file(int fd, char text[25])
{
    unsigned char bytes[65536], digest[SWI_MD5_SIZE];
    uint32_t h[4];
    uint64_t size = 0;
    size_t left = 0;
    ssize_t n;
    memcpy(h, begin, sizeof h);
    /* The rest of a block is moved before the bytes that are read next. */
    while ((n = pread(fd, bytes + left, sizeof bytes - left, (off_t)size)) > 0) {
        size_t count = left + (size_t)n, at = 0;
        for (; count - at >= 64; at += 64)
            compress(h, bytes + at);
        left = count - at;
        memmove(bytes, bytes + at, left);
        size += (uint64_t)n;
    }
    end(h, bytes, left, size, digest);
    swi_base64_put(text, digest, sizeof digest, SWI_BASE64);
    return n == 0;
}

bool swi_random_letters(char *id, size_t count)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    if (getrandom(id, count, 0) != (ssize_t)count)
        return false;
    for (size_t i = 0; i < count; i++)
        id[i] = letters[(unsigned char)id[i] % (sizeof letters - 1)];
    id[count] = '\0';
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

enum { CHECKSUM = 7 }; /* with the hyphen before it */

/* The checksum's four bytes in base 64 for addresses, without padding. */
static void checksum_add(char *to, const char *name)
{
    uint32_t crc = swi_crc32(0, name, strlen(name));
    const unsigned char bytes[] = {(unsigned char)(crc >> 24), (unsigned char)(crc >> 16),
                                   (unsigned char)(crc >> 8), (unsigned char)crc};
    *to++ = '-';
    swi_base64_put(to, bytes, sizeof bytes, SWI_BASE64_ADDRESS);
}

static bool is_allowed(char c)
{
    return (isalnum((unsigned char)c) && (unsigned char)c < 0x80) || strchr("-_.", c);
}

void swi_wandb_artifact_name(struct swi_wandb_artifact *artifact, const char *name)
{
    size_t used = 0, most = strlen(name) > SWI_ARTIFACT_NAME ? SWI_ARTIFACT_NAME - CHECKSUM
                                                             : SWI_ARTIFACT_NAME;
    for (const char *from = name; *from && used < most; from++)
        if (is_allowed(*from))
            artifact->name[used++] = *from;
    artifact->name[used] = '\0';
    if (strcmp(artifact->name, name) == 0)
        return;
    if (used > SWI_ARTIFACT_NAME - CHECKSUM)
        used = SWI_ARTIFACT_NAME - CHECKSUM;
    checksum_add(artifact->name + used, name);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static void digest_make(struct swi_wandb_artifact *artifact)
{
    unsigned char digest[SWI_MD5_SIZE];
    char manifest[SWI_ARTIFACT_FILE + 64];
    int size = snprintf(manifest, sizeof manifest, "wandb-artifact-manifest-v1\n%s:%s\n",
                        artifact->file, artifact->md5);
    swi_md5(manifest, (size_t)size, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(artifact->digest + 2 * i, 3, "%02x", digest[i]);
}

bool swi_wandb_artifact_end(struct swi_wandb_artifact *artifact)
{
    digest_make(artifact);
    return swi_random_letters(artifact->id, SWI_ARTIFACT_ID) &&
           swi_random_letters(artifact->sequence, SWI_ARTIFACT_ID);
}

bool swi_wandb_artifact_table(struct swi_wandb_artifact *artifact, const char *key,
                              const char *file, const void *bytes, size_t size)
{
    SWI_FREED struct swi_text name = {0};
    swi_text_format(&name, "run-%s-%s", artifact->run_id, key);
    swi_wandb_artifact_name(artifact, name.failed ? "table" : name.data);
    snprintf(artifact->file, sizeof artifact->file, "%s", file);
    artifact->size = size;
    swi_md5_base64(bytes, size, artifact->md5);
    return swi_wandb_artifact_end(artifact);
}
