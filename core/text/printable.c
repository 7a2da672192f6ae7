/* SPDX-License-Identifier: MIT */
#include "core/text/printable.h"

#include "core/text/characters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t swi_printable_character(char shown[SWI_CHARACTER_SHOWN], const char *text, size_t size)
{
    uint32_t code = 0;
    size_t length = swi_utf8_next(text, size, &code);
    if (!length)
        snprintf(shown, SWI_CHARACTER_SHOWN, "\\x%02x", (unsigned)(unsigned char)*text);
    else if (!swi_character_is_unsafe(code))
        snprintf(shown, SWI_CHARACTER_SHOWN, "%.*s", (int)length, text);
    else if (code < 0x80)
        snprintf(shown, SWI_CHARACTER_SHOWN, "\\x%02" PRIx32, code);
    else
        snprintf(shown, SWI_CHARACTER_SHOWN, "\\u{%" PRIx32 "}", code);
    return length ? length : 1;
}

const char *swi_printable(char *buffer, size_t size, const char *text)
{
    static const char dots[] = "...";
    size_t left = strlen(text), used = 0, cut = 0;
    while (left) {
        char shown[SWI_CHARACTER_SHOWN];
        size_t taken = swi_printable_character(shown, text, left), length = strlen(shown);
        if (used + length >= size) {
            memcpy(buffer + cut, dots, sizeof dots);
            return buffer;
        }
        memcpy(buffer + used, shown, length);
        used += length;
        if (used + sizeof dots <= size)
            cut = used;
        text += taken;
        left -= taken;
    }
    buffer[used] = '\0';
    return buffer;
}

void swi_printable_error(struct sw_error *err)
{
    char text[sizeof err->text], *rest = text, *line;
    size_t used = 0;
    memcpy(text, err->text, sizeof text);
    text[sizeof text - 1] = '\0';
    while ((line = strsep(&rest, "\n")) && sizeof err->text - used > 32) {
        swi_printable(err->text + used, sizeof err->text - used - 1, line);
        used += strlen(err->text + used);
        if (rest)
            err->text[used++] = '\n';
    }
    err->text[used] = '\0';
}
