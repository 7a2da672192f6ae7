/* SPDX-License-Identifier: MIT */
/* wire.h - the wire format of protobuf: fields of a message. The first functions put them where
 * there is room and return where they end; those of a text make it grow. */
#ifndef CORE_TEXT_WIRE_H
#define CORE_TEXT_WIRE_H

#include "core/text/buffer.h"

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most bytes of a number and its tag. */
enum { SWI_WIRE_FIELD = 15 };

static inline char *swi_wire_varint(char *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (char)(value | 0x80);
        value >>= 7;
    }
    *at++ = (char)value;
    return at;
}

/* Does the same without a branch for each byte: the processor cannot predict the sizes of
 * durations. Always writes four bytes if the number is below 2^28. */
static inline char *swi_wire_varint_mixed(char *at, uint64_t value)
{
    enum { LARGE = 1 << 28 };
    if (value >= LARGE)
        return swi_wire_varint(at, value);
    uint32_t number = (uint32_t)value;
    uint32_t groups = (number & 0x7f) | (number & 0x3f80) << 1 | (number & 0x1fc000) << 2 |
                      (number & 0xfe00000) << 3;
    unsigned highest = 31 - (unsigned)__builtin_clz(number | 1); /* bit */
    unsigned more = highest * 37 >> 8;                           /* highest / 7, up to 27 */
    groups = htole32(groups | (0x80808080 & ((1u << 8 * more) - 1)));
    memcpy(at, &groups, sizeof groups);
    return at + more + 1;
}

static inline char *swi_wire_number(char *at, unsigned field, uint64_t value)
{
    at = swi_wire_varint(at, (uint64_t)field << 3);
    return swi_wire_varint(at, value);
}

static inline char *swi_wire_fixed64(char *at, unsigned field, uint64_t value)
{
    at = swi_wire_varint(at, (uint64_t)field << 3 | 1);
    value = htole64(value);
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

static inline char *swi_wire_float(char *at, unsigned field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    at = swi_wire_varint(at, (uint64_t)field << 3 | 5);
    bits = htole32(bits);
    memcpy(at, &bits, sizeof bits);
    return at + sizeof bits;
}

static inline char *swi_wire_double(char *at, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return swi_wire_fixed64(at, field, bits);
}

/* Writes the head of bytes, of a text or of a message. */
static inline char *swi_wire_head(char *at, unsigned field, uint64_t size)
{
    at = swi_wire_varint(at, (uint64_t)field << 3 | 2);
    return swi_wire_varint(at, size);
}

static inline char *swi_wire_bytes(char *at, unsigned field, const char *bytes, size_t size)
{
    at = swi_wire_head(at, field, size);
    memcpy(at, bytes, size);
    return at + size;
}

/* Returns the bytes of a number without its tag. */
static inline size_t swi_wire_size(uint64_t value)
{
    size_t size = 1;
    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

/* Returns the bytes of a field of up to 15 that has content of this size. */
static inline size_t swi_wire_field_size(size_t content)
{
    return 1 + swi_wire_size(content) + content;
}

/* ---- fields of a text ------------------------------------------------------------------------ */

void swi_wire_add_varint(struct swi_text *to, uint64_t value);
void swi_wire_add_number(struct swi_text *to, unsigned field, uint64_t value);
void swi_wire_add_float(struct swi_text *to, unsigned field, float value);
void swi_wire_add_double(struct swi_text *to, unsigned field, double value);
void swi_wire_add_text(struct swi_text *to, unsigned field, const char *text, size_t size);

/* Frees the message, which can be used again. */
void swi_wire_add_message(struct swi_text *to, unsigned field, struct swi_text *message);

/* ---- reading --------------------------------------------------------------------------------- */

struct swi_wire_field {
    const char *begin; /* of its tag */
    unsigned number, type;
    uint64_t value;      /* of type 0 */
    const char *content; /* of the other types */
    size_t size;         /* of the content */
};

/* Reads the field at *at and sets *at behind it. Returns false at the end, or if what comes is not
 * whole: then field->begin is before the end. */
bool swi_wire_read(const char **at, const char *end, struct swi_wire_field *field);

/* Returns the number of a field of type 5. */
static inline float swi_wire_as_float(const struct swi_wire_field *field)
{
    uint32_t bits;
    float value;
    memcpy(&bits, field->content, sizeof bits);
    bits = le32toh(bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the number of a field of type 1. */
static inline double swi_wire_as_double(const struct swi_wire_field *field)
{
    uint64_t bits;
    double value;
    memcpy(&bits, field->content, sizeof bits);
    bits = le64toh(bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
