/* SPDX-License-Identifier: MIT */
/* protobuf.h - appends fields of a protobuf message to a buffer that has room for them. */
#ifndef SINKS_COMMON_TRACE_FORMATS_PROTOBUF_H
#define SINKS_COMMON_TRACE_FORMATS_PROTOBUF_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most bytes of a number and its tag. */
enum { SWI_PB_FIELD = 15 };

static inline char *swi_pb_varint(char *at, uint64_t value)
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
static inline char *swi_pb_varint_mixed(char *at, uint64_t value)
{
    enum { LARGE = 1 << 28 };
    if (value >= LARGE)
        return swi_pb_varint(at, value);
    uint32_t number = (uint32_t)value;
    uint32_t groups = (number & 0x7f) | (number & 0x3f80) << 1 | (number & 0x1fc000) << 2 |
                      (number & 0xfe00000) << 3;
    unsigned highest = 31 - (unsigned)__builtin_clz(number | 1); /* bit */
    unsigned more = highest * 37 >> 8;                           /* highest / 7, up to 27 */
    groups = htole32(groups | (0x80808080 & ((1u << 8 * more) - 1)));
    memcpy(at, &groups, sizeof groups);
    return at + more + 1;
}

static inline char *swi_pb_number(char *at, unsigned field, uint64_t value)
{
    at = swi_pb_varint(at, (uint64_t)field << 3);
    return swi_pb_varint(at, value);
}

static inline char *swi_pb_fixed64(char *at, unsigned field, uint64_t value)
{
    at = swi_pb_varint(at, (uint64_t)field << 3 | 1);
    for (int i = 0; i < 8; i++)
        *at++ = (char)(value >> (8 * i));
    return at;
}

static inline char *swi_pb_double(char *at, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return swi_pb_fixed64(at, field, bits);
}

/* Writes the head of bytes, of a text or of a message. */
static inline char *swi_pb_head(char *at, unsigned field, uint64_t size)
{
    at = swi_pb_varint(at, (uint64_t)field << 3 | 2);
    return swi_pb_varint(at, size);
}

static inline char *swi_pb_bytes(char *at, unsigned field, const char *bytes, size_t size)
{
    at = swi_pb_head(at, field, size);
    memcpy(at, bytes, size);
    return at + size;
}

static inline size_t swi_pb_size(uint64_t value)
{
    size_t size = 1;
    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

#endif
