/* SPDX-License-Identifier: MIT */
/* utf8.c - checks and repairs UTF-8 (RFC 3629). */
#include "sinks/tensorboard/writer/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What may follow a lead byte: how many bytes, and the range of the first of them, which keeps out
 * overlong forms (e0, f0), surrogates (ed) and what is above U+10FFFF (f4). */
struct sequence {
    uint8_t from, to, following, low, high;
};

static const struct sequence sequences[] = {
    {0x00, 0x7f, 0, 0, 0},       {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
    {0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
    {0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
};

static const struct sequence *sequence_of(uint8_t lead)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (lead >= sequences[i].from && lead <= sequences[i].to)
            return &sequences[i];
    return NULL;
}

/* Bytes of the character at text, 0 where there is none. */
static size_t character(const uint8_t *text, size_t size)
{
    const struct sequence *s = sequence_of(text[0]);
    if (!s || s->following >= size)
        return 0;
    if (s->following > 0 && (text[1] < s->low || text[1] > s->high))
        return 0;
    for (size_t i = 2; i <= s->following; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return (size_t)s->following + 1;
}

bool swi_tb_utf8_valid(const char *text, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t i = 0, step; i < size; i += step) {
        step = character(bytes + i, size - i);
        if (step == 0)
            return false;
    }
    return true;
}

static char *put_escaped(char *to, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    *to++ = '\\';
    *to++ = 'x';
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 15];
    return to;
}

char *swi_tb_utf8_copy(const char *text, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)text;
    char *copy = size < SIZE_MAX / 4 ? malloc(4 * size + 1) : NULL;
    char *to = copy;
    if (!copy)
        return NULL;
    for (size_t i = 0; i < size;) {
        size_t step = character(bytes + i, size - i);
        if (step == 0) {
            to = put_escaped(to, bytes[i++]);
            continue;
        }
        memcpy(to, bytes + i, step);
        to += step;
        i += step;
    }
    *to = '\0';
    char *fit = realloc(copy, (size_t)(to - copy) + 1);
    return fit ? fit : copy;
}
