/* SPDX-License-Identifier: MIT */
#include "core/text/quote.h"

#include "core/text/characters.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

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

/* Returns how many bytes before an @ are the user and password of a URL. */
static size_t userinfo_length(const char *authority)
{
    size_t end = strcspn(authority, "/?#");
    const char *at = memrchr(authority, '@', end);
    return at ? (size_t)(at - authority) : 0;
}

/* hidden: bytes after "://" that are printed as ***. */
static void print_quoted(const char *text, const char *hidden, size_t hidden_length, FILE *out)
{
    size_t left = strlen(text);
    fputc('"', out);
    while (left) {
        uint32_t code = 0xfffd;
        size_t length = swi_utf8_next(text, left, &code);
        if (text == hidden && hidden_length) {
            fputs("***", out);
            length = hidden_length;
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
    const char *scheme = strstr(text, "://"), *authority = scheme ? scheme + 3 : NULL;
    if (is_plain(text))
        fputs(text, out);
    else
        print_quoted(text, authority, authority ? userinfo_length(authority) : 0, out);
}

void swi_quote_string(const char *text, FILE *out)
{
    print_quoted(text, NULL, 0, out);
}
