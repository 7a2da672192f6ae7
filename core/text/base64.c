/* SPDX-License-Identifier: MIT */
#include "core/text/base64.h"

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
