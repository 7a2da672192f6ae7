/* SPDX-License-Identifier: MIT */
#include "core/text/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void swi_base64_add(struct swi_text *text, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    if (size > SIZE_MAX / 4 * 3 - 3 || !swi_text_reserve(text, (size + 2) / 3 * 4))
        return;
    char *to = text->data + text->size;
    for (; size; size -= size < 3 ? size : 3, from += 3) {
        unsigned three = (unsigned)from[0] << 16 | (size > 1 ? (unsigned)from[1] << 8 : 0) |
                         (size > 2 ? from[2] : 0);
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = size > 1 ? digits[three >> 6 & 63] : '=';
        *to++ = size > 2 ? digits[three & 63] : '=';
    }
    *to = '\0';
    text->size = (size_t)(to - text->data);
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
