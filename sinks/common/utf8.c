/* SPDX-License-Identifier: MIT */
/* Its like stands in core/shown.c: a plugin has no symbol of the library, so it brings its own. */
#include "sinks/common/utf8.h"

/* How long a character is, and the bits of its code that the first byte holds. */
static size_t first_byte(unsigned char byte, uint32_t *code)
{
    if (byte < 0x80)
        return *code = byte, 1;
    if (byte < 0xc2 || byte > 0xf4)
        return 0;
    size_t length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    *code = byte & (0x7fu >> length);
    return length;
}

size_t swi_utf8_read(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t shortest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!size)
        return 0;
    size_t length = first_byte((unsigned char)text[0], code);
    if (length == 0 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < shortest[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

bool swi_utf8_is_valid(const char *text, size_t size)
{
    uint32_t code;
    for (size_t length; size > 0; text += length, size -= length) {
        length = swi_utf8_read(text, size, &code);
        if (length == 0)
            return false;
    }
    return true;
}

bool swi_utf8_is_unsafe(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } range[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    };
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (code >= range[i].first && code <= range[i].last)
            return true;
    return false;
}
