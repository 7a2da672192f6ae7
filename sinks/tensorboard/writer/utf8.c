/* SPDX-License-Identifier: MIT */
/* utf8.c - repairs UTF-8 (RFC 3629). */
#include "sinks/tensorboard/writer/utf8.h"

#include "core/text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    uint32_t code;
    char *copy = size < SIZE_MAX / 4 ? malloc(4 * size + 1) : NULL;
    char *to = copy;
    if (!copy)
        return NULL;
    for (size_t i = 0; i < size;) {
        size_t step = swi_utf8_next(text + i, size - i, &code);
        if (step == 0) {
            to = put_escaped(to, (uint8_t)text[i++]);
            continue;
        }
        memcpy(to, text + i, step);
        to += step;
        i += step;
    }
    *to = '\0';
    char *fit = realloc(copy, (size_t)(to - copy) + 1);
    return fit ? fit : copy;
}
