/* SPDX-License-Identifier: MIT */
#include "core/text/quote.h"

#include "core/text/address_user.h"
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
