/* SPDX-License-Identifier: MIT */
/* buffer.h - text that grows. */
#ifndef CORE_TEXT_BUFFER_H
#define CORE_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Begins as {0}. data is NUL terminated once something was added. Without memory it keeps what it
 * has and sets `failed`: look at that once, when all is written. */
struct swi_text {
    char *data;
    size_t size; /* bytes, without the NUL */
    size_t capacity;
    bool failed;
};

void swi_text_free(struct swi_text *text);

/* Room for so many more bytes and the NUL; false if out of memory. */
bool swi_text_reserve(struct swi_text *text, size_t size);

/* Inline, for most of what is added is a few constant bytes. */
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

/* Characters, not bytes; a byte that is not UTF-8 counts as one. */
size_t swi_text_width(const char *string);

#endif
