/* SPDX-License-Identifier: MIT */
/* buffer.h - a text buffer that grows. */
#ifndef CORE_TEXT_BUFFER_H
#define CORE_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Initialise it as {0}. data is terminated by a NUL once something was added. If memory runs out,
 * the text stays as it is and `failed` is set: check it once at the end. */
struct swi_text {
    char *data;
    size_t size; /* bytes, without the NUL */
    size_t capacity;
    bool failed;
};

void swi_text_free(struct swi_text *text);

/* Before `struct swi_text`: what is declared is freed at the end of its block. */
#define SWI_FREED __attribute__((cleanup(swi_text_free)))

/* Makes room for that many more bytes and the NUL. Returns false if out of memory. */
bool swi_text_reserve(struct swi_text *text, size_t size);

/* Inline, because most additions are a few constant bytes. */
static inline void swi_text_add(struct swi_text *text, const char *bytes, size_t size)
{
    bool fits = text->data && text->capacity - text->size > size;
    if (!fits && !swi_text_reserve(text, size))
        return;
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

static inline void swi_text_put(struct swi_text *text, const char *string)
{
    swi_text_add(text, string, strlen(string));
}

void swi_text_fill(struct swi_text *text, char c, size_t count);
void swi_text_integer(struct swi_text *text, int64_t value);
__attribute__((format(printf, 2, 3))) void swi_text_format(struct swi_text *text,
                                                           const char *format, ...);

/* Returns the number of characters. A byte that is not UTF-8 counts as one. */
size_t swi_text_width(const char *string);

/* Adds a string, and blanks behind it or before it where it has fewer characters. */
void swi_text_left(struct swi_text *text, const char *string, size_t width);
void swi_text_right(struct swi_text *text, const char *string, size_t width);

#endif
