/* SPDX-License-Identifier: MIT */
/* json_event.h - writes parts of a Chrome trace event without printf(), because there are millions.
 */
#ifndef SINKS_COMMON_TIMELINE_JSON_EVENT_H
#define SINKS_COMMON_TIMELINE_JSON_EVENT_H

#include "core/text/buffer.h"

/* Returns room for `size` bytes at the end of a text; NULL if out of memory. Call swi_event_done()
 * with the end of the used part. */
static inline char *swi_event_room(struct swi_text *text, size_t size)
{
    bool fits = text->data && text->capacity - text->size > size;
    return fits || swi_text_reserve(text, size) ? text->data + text->size : NULL;
}

static inline void swi_event_done(struct swi_text *text, const char *end)
{
    text->size = (size_t)(end - text->data);
    text->data[text->size] = '\0';
}

static inline char *swi_event_put(char *at, const char *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

#define SWI_EVENT_PUT(at, constant) swi_event_put(at, constant, sizeof(constant) - 1)

/* Writes a number without a sign. */
static inline char *swi_event_number(char *at, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[sizeof digits - ++count] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return swi_event_put(at, digits + sizeof digits - count, count);
}

/* Writes nanoseconds as microseconds with exactly three decimals, so that viewers lose nothing. */
static inline char *swi_event_us(char *at, int64_t ns)
{
    uint64_t value = ns < 0 ? 0 : (uint64_t)ns;
    unsigned rest = (unsigned)(value % 1000);
    at = swi_event_number(at, value / 1000);
    *at++ = '.';
    *at++ = (char)('0' + rest / 100);
    *at++ = (char)('0' + rest / 10 % 10);
    *at++ = (char)('0' + rest % 10);
    return at;
}

#endif
