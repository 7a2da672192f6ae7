/* SPDX-License-Identifier: MIT */
#include "tools/output/paragraph.h"

#include "core/text/buffer.h"
#include "core/text/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 100 };

/* Returns the number of characters up to the next blank or the end. */
static size_t word_width(const char *text, size_t *bytes)
{
    size_t width = 0;
    for (*bytes = 0; text[*bytes] && text[*bytes] != ' '; ++*bytes)
        width += ((unsigned char)text[*bytes] & 0xc0) != 0x80;
    return width;
}

/* Prints words in lines of COLUMNS characters. at: how many characters the first line has already.
 */
static void put_wrapped(const char *text, int indent, size_t at)
{
    size_t bytes;
    for (bool first = true; *text; first = false) {
        size_t width = word_width(text, &bytes);
        bool fits = first || at + 1 + width <= COLUMNS;
        if (!fits) {
            printf("\n%*s", indent, "");
            at = (size_t)indent;
        } else if (!first) {
            putchar(' ');
            at++;
        }
        fwrite(text, 1, bytes, stdout);
        at += width;
        text += bytes + (text[bytes] == ' ');
    }
    putchar('\n');
}

void paragraph_put(int indent, const char *before, const char *text)
{
    struct swi_text shown = {0};
    swi_escape_terminal(&shown, text);
    printf("%*s%s", indent, "", before);
    put_wrapped(shown.data ? shown.data : "", indent, (size_t)indent + strlen(before));
    swi_text_free(&shown);
}
