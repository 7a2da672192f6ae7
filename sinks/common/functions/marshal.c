/* SPDX-License-Identifier: MIT */
/* Writes version 2 of Python's marshal format. */
#include "sinks/common/functions/stats.h"

#include "core/text/characters.h"

#include <string.h>

static void put_u32(FILE *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        putc((int)(value >> 8 * i & 255), out);
}

/* An integer with more than 32 bits is a list of digits of 15 bits. */
static void put_int(FILE *out, int64_t value)
{
    if (value >= INT32_MIN && value <= INT32_MAX) {
        putc('i', out);
        put_u32(out, (uint32_t)(int32_t)value);
        return;
    }
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    int digits = 0;
    for (uint64_t left = rest; left; left >>= 15)
        digits++;
    putc('l', out);
    put_u32(out, (uint32_t)(value < 0 ? -digits : digits));
    for (; rest; rest >>= 15) {
        putc((int)(rest & 255), out);
        putc((int)(rest >> 8 & 127), out);
    }
}

static void put_double(FILE *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    putc('g', out);
    put_u32(out, (uint32_t)bits);
    put_u32(out, (uint32_t)(bits >> 32));
}

/* Invalid UTF-8 would make the whole file unreadable. */
static void put_text(FILE *out, const char *text)
{
    uint32_t code;
    size_t size = strlen(text);
    putc('u', out);
    put_u32(out, (uint32_t)size);
    for (size_t length; size > 0; text += length, size -= length) {
        length = swi_utf8_next(text, size, &code);
        if (length)
            fwrite(text, 1, length, out);
        else
            putc('?', out);
        length = length ? length : 1;
    }
}

static void put_tuple(FILE *out, uint32_t size)
{
    putc('(', out);
    put_u32(out, size);
}

static void put_key(FILE *out, const struct function *function)
{
    put_tuple(out, 3);
    put_text(out, function->file);
    put_int(out, function->line);
    put_text(out, function->name);
}

/* The two orders of counts are those of cProfile. */
static void put_callers(FILE *out, const struct stats *stats, const struct function *function)
{
    putc('{', out);
    for (size_t i = 0; i < function->caller_count; i++) {
        const struct counts *counts = &function->callers[i].counts;
        put_key(out, &stats->function[function->callers[i].caller]);
        put_tuple(out, 4);
        put_int(out, counts->nc);
        put_int(out, counts->cc);
        put_double(out, counts->tt);
        put_double(out, counts->ct);
    }
    putc('0', out);
}

void marshal_write(FILE *out, const struct stats *stats)
{
    putc('{', out);
    for (size_t i = 0; i < stats->count; i++) {
        const struct function *function = &stats->function[i];
        put_key(out, function);
        put_tuple(out, 5);
        put_int(out, function->counts.cc);
        put_int(out, function->counts.nc);
        put_double(out, function->counts.tt);
        put_double(out, function->counts.ct);
        put_callers(out, stats, function);
    }
    putc('0', out);
}
