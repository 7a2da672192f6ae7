/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/console/console_lines.h"

#include "core/text/characters.h"

#include <stdlib.h>

/* Adds the first bytes of the rest as a line, and keeps the others. */
static void line_add(struct swi_console_lines *console, size_t size, struct swi_text *lines)
{
    struct swi_text *rest = &console->rest;
    char *line = swi_utf8_repair(rest->data ? rest->data : "", size);
    swi_text_put(lines, line ? line : "");
    swi_text_put(lines, "\n");
    lines->failed |= !line;
    free(line);
    rest->size -= size;
    if (rest->size)
        memmove(rest->data, rest->data + size, rest->size);
    console->pending = rest->size;
}

/* Returns how many bytes of the rest are complete characters. */
static size_t whole_characters(const struct swi_text *rest)
{
    size_t size = rest->size;
    for (int i = 0; i < 4 && size; i++) {
        unsigned char last = (unsigned char)rest->data[--size];
        if ((last & 0xc0) != 0x80)
            return last < 0x80 ? size + 1 : size;
    }
    return rest->size;
}

/* Adds characters of one line. */
static void part_add(struct swi_console_lines *console, const char *bytes, size_t size,
                     struct swi_text *lines)
{
    if (console->returned)
        console->rest.size = 0;
    console->returned = false;
    while (size && !console->rest.failed) {
        size_t room = SWI_CONSOLE_LINE_MAX - console->rest.size;
        size_t now = size < room ? size : room;
        swi_text_add(&console->rest, bytes, now);
        if (console->rest.size == SWI_CONSOLE_LINE_MAX)
            line_add(console, whole_characters(&console->rest), lines);
        bytes += now;
        size -= now;
    }
}

/* Handles the character at which a part ends. */
static void separator(struct swi_console_lines *console, char c, struct swi_text *lines)
{
    if (c == '\n' && !console->skipping)
        line_add(console, console->rest.size, lines);
    if (c == '\n')
        console->returned = console->skipping = false;
    else if (c == '\r')
        console->returned = true;
}

static bool is_separator(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

void swi_console_lines_add(struct swi_console_lines *console, const char *bytes, size_t size,
                           struct swi_text *lines)
{
    for (size_t at = 0; at < size; at++) {
        size_t end = at;
        while (end < size && !is_separator(bytes[end]))
            end++;
        console->pending += end - at + (end < size);
        if (end > at && !console->skipping)
            part_add(console, bytes + at, end - at, lines);
        if (end < size)
            separator(console, bytes[end], lines);
        if (!console->rest.size && end < size && bytes[end] == '\n')
            console->pending = 0;
        at = end;
    }
    lines->failed |= console->rest.failed;
}

void swi_console_lines_end(struct swi_console_lines *console, struct swi_text *lines)
{
    if (console->rest.size)
        line_add(console, console->rest.size, lines);
    console->returned = false;
    console->pending = 0;
}

void swi_console_lines_free(struct swi_console_lines *console)
{
    swi_text_free(&console->rest);
}
