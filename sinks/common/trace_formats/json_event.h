/* SPDX-License-Identifier: MIT */
/* json_event.h - writes parts of a Chrome trace event without printf(), because there are millions.
 */
#ifndef SINKS_COMMON_TRACE_FORMATS_JSON_EVENT_H
#define SINKS_COMMON_TRACE_FORMATS_JSON_EVENT_H

#include "core/text/buffer.h"
#include "core/text/digits.h"

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

/* Copies whole blocks, which needs no call for the short texts of an event. All bytes up to the
 * next multiple of SWI_EVENT_BLOCK must be readable and writable. */
enum { SWI_EVENT_BLOCK = 16 };
static inline char *swi_event_copy(char *at, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += SWI_EVENT_BLOCK)
        memcpy(at + i, bytes + i, SWI_EVENT_BLOCK);
    return at + size;
}

/* Writes nanoseconds as microseconds with exactly three decimals, so that viewers lose nothing. May
 * touch 8 bytes behind the end. */
static inline char *swi_event_us(char *at, int64_t ns)
{
    enum { DECIMALS = 3 };
    uint64_t value = ns < 0 ? 0 : (uint64_t)ns;
    bool is_long = value >= SWI_DIGITS_E8;
    if (is_long)
        at = swi_digits_put(at, value / SWI_DIGITS_E8);
    uint64_t digits = swi_digits_split((uint32_t)(value % SWI_DIGITS_E8));
    unsigned zeros = is_long ? 0 : swi_digits_zeros(digits, DECIMALS + 1);
    swi_digits_store(at, digits, zeros);
    at += 8 - DECIMALS - zeros;
    *at = '.';
    swi_digits_store(at + 1, digits, 8 - DECIMALS);
    return at + 1 + DECIMALS;
}

#endif
