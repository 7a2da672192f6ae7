/* SPDX-License-Identifier: MIT */
#include "core/text/printable.h"

#include "core/text/address_user.h"
#include "core/text/characters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
    const char *user = NULL;
    size_t left = strlen(text), used = 0, cut = 0, secret = swi_address_user(text, &user);
    while (left) {
        char shown[SWI_CHARACTER_SHOWN];
        if (secret && text == user) {
            text += secret;
            left -= secret;
            secret = swi_address_user(text, &user);
            continue;
        }
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

/* The line is cut if out of memory. */
static void line_append(struct sw_error *shown, const char *separator, const char *line)
{
    char small[256];
    size_t size = 4 * strlen(line) + sizeof "...";
    char *large = malloc(size);
    const char *text =
        large ? swi_printable(large, size, line) : swi_printable(small, sizeof small, line);
    sw_error_append(shown, "%s%s", separator, text);
    free(large);
}

void swi_printable_error(struct sw_error *err)
{
    struct sw_error shown;
    char *rest = err->long_ ? err->long_ : err->short_, *line;
    sw_error_init(&shown);
    const char *ending = err->code == SW_ECONFIG ? "\n" : "";
    for (const char *separator = ""; (line = strsep(&rest, ending)); separator = "\n")
        line_append(&shown, separator, line);
    shown.code = err->code;
    sw_error_free(err);
    *err = shown;
}

size_t swi_printable_name(struct swi_text *text, const char *name, size_t width, bool utf8)
{
    size_t left = strlen(name), used = 0;
    for (; left > 0 && used < width; used++) {
        uint32_t code = 0;
        size_t size = swi_utf8_next(name, left, &code);
        bool shown = size && !swi_character_is_unsafe(code) && (utf8 || size == 1);
        swi_text_add(text, shown ? name : "?", shown ? size : 1);
        name += size ? size : 1;
        left -= size ? size : 1;
    }
    return used;
}
