/* SPDX-License-Identifier: MIT */
#include "core/text/buffer.h"
#include "core/text/characters.h"
#include "core/text/digits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void swi_text_free(struct swi_text *text)
{
    free(text->data);
    *text = (struct swi_text){0};
}

bool swi_text_reserve(struct swi_text *text, size_t size)
{
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity - text->size <= size)
        capacity *= 2;
    if (text->data && capacity == text->capacity)
        return true;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void swi_text_fill(struct swi_text *text, char c, size_t count)
{
    while (count--)
        swi_text_add(text, &c, 1);
}

/* Usually there is enough room, and it is formatted only once. */
void swi_text_format(struct swi_text *text, const char *format, ...)
{
    va_list args, again;
    size_t room = text->capacity - text->size;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(room ? text->data + text->size : NULL, room, format, args);
    bool fits = size >= 0 && (size_t)size < room;
    if (size >= 0 && !fits && swi_text_reserve(text, (size_t)size)) {
        vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
        fits = true;
    }
    if (fits)
        text->size += (size_t)size;
    else if (room)
        text->data[text->size] = '\0';
    va_end(again);
    va_end(args);
}

void swi_text_integer(struct swi_text *text, int64_t value)
{
    enum { ROOM = 1 + SWI_DIGITS_ROOM };
    if (text->capacity - text->size <= ROOM && !swi_text_reserve(text, ROOM))
        return;
    char *at = text->data + text->size;
    *at = '-';
    at = swi_digits_put(at + (value < 0), value < 0 ? -(uint64_t)value : (uint64_t)value);
    *at = '\0';
    text->size = (size_t)(at - text->data);
}

size_t swi_text_width(const char *string)
{
    size_t width = 0, left = strlen(string);
    while (left) {
        uint32_t code;
        size_t length = swi_utf8_next(string, left, &code);
        length = length ? length : 1;
        string += length;
        left -= length;
        width++;
    }
    return width;
}

static size_t blanks_of(const char *string, size_t width)
{
    size_t is = swi_text_width(string);
    return is < width ? width - is : 0;
}

void swi_text_left(struct swi_text *text, const char *string, size_t width)
{
    swi_text_put(text, string);
    swi_text_fill(text, ' ', blanks_of(string, width));
}

void swi_text_right(struct swi_text *text, const char *string, size_t width)
{
    swi_text_fill(text, ' ', blanks_of(string, width));
    swi_text_put(text, string);
}
