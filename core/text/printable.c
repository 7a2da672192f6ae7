/* SPDX-License-Identifier: MIT */
#include "core/text/printable.h"
#include "core/text/address_user.h"
#include "core/text/characters.h"

#include <inttypes.h>
#include <stdbool.h>
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

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_./"

/* Returns whether YAML reads the text as itself without quotes. */
static bool is_plain(const char *text)
{
    static const char *const words[] = {"null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return false;
    return strspn(text, LETTERS) && !text[strspn(text, LETTERS "0123456789-")];
}

static void print_character(uint32_t code, const char *text, size_t length, FILE *out)
{
    if (code == '"' || code == '\\')
        fprintf(out, "\\%c", (int)code);
    else if (code == '$')
        fputs("$$", out);
    else if (code == '\n')
        fputs("\\n", out);
    else if (code == '\t')
        fputs("\\t", out);
    else if (!swi_character_is_unsafe(code))
        fwrite(text, 1, length, out);
    else
        fprintf(out, code < 0x10000 ? "\\u%04" PRIX32 : "\\U%08" PRIX32, code);
}

/* hides: the users of addresses are printed as ***. */
static void print_quoted(const char *text, bool hides, FILE *out)
{
    const char *hidden = NULL;
    size_t hidden_size = hides ? swi_address_user(text, &hidden) : 0, left = strlen(text);
    fputc('"', out);
    while (left) {
        uint32_t code = 0xfffd;
        size_t length = swi_utf8_next(text, left, &code);
        if (hidden_size && text == hidden) {
            fputs("***@", out);
            length = hidden_size;
            hidden_size = swi_address_user(text + length, &hidden);
        } else {
            print_character(code, text, length, out);
        }
        text += length ? length : 1;
        left -= length ? length : 1;
    }
    fputc('"', out);
}

void swi_quote_print(const char *text, FILE *out)
{
    if (is_plain(text))
        fputs(text, out);
    else
        print_quoted(text, true, out);
}

void swi_quote_string(const char *text, FILE *out)
{
    print_quoted(text, false, out);
}
