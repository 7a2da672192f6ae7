/* SPDX-License-Identifier: MIT */
#include "core/text/wire.h"

/* ---- writing --------------------------------------------------------------------------------- */

void swi_wire_add_varint(struct swi_text *to, uint64_t value)
{
    char bytes[SWI_WIRE_FIELD];
    const char *end = swi_wire_varint(bytes, value);
    swi_text_add(to, bytes, (size_t)(end - bytes));
}

void swi_wire_add_number(struct swi_text *to, unsigned field, uint64_t value)
{
    char bytes[SWI_WIRE_FIELD];
    const char *end = swi_wire_number(bytes, field, value);
    swi_text_add(to, bytes, (size_t)(end - bytes));
}

void swi_wire_add_float(struct swi_text *to, unsigned field, float value)
{
    char bytes[SWI_WIRE_FIELD];
    const char *end = swi_wire_float(bytes, field, value);
    swi_text_add(to, bytes, (size_t)(end - bytes));
}

void swi_wire_add_double(struct swi_text *to, unsigned field, double value)
{
    char bytes[SWI_WIRE_FIELD];
    const char *end = swi_wire_double(bytes, field, value);
    swi_text_add(to, bytes, (size_t)(end - bytes));
}

void swi_wire_add_text(struct swi_text *to, unsigned field, const char *text, size_t size)
{
    char head[SWI_WIRE_FIELD];
    const char *end = swi_wire_head(head, field, size);
    swi_text_add(to, head, (size_t)(end - head));
    swi_text_add(to, size ? text : "", size);
}

void swi_wire_add_message(struct swi_text *to, unsigned field, struct swi_text *message)
{
    swi_wire_add_text(to, field, message->data, message->size);
    to->failed |= message->failed;
    swi_text_free(message);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool varint_read(const char **at, const char *end, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)*(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

bool swi_wire_read(const char **at, const char *end, struct swi_wire_field *field)
{
    uint64_t tag, size = 0;
    field->begin = *at;
    if (!varint_read(at, end, &tag) || tag > UINT32_MAX || tag >> 3 == 0)
        return false;
    field->number = (unsigned)(tag >> 3);
    field->type = (unsigned)(tag & 7);
    if (field->type == 0)
        return varint_read(at, end, &field->value);
    if (field->type == 2 && !varint_read(at, end, &size))
        return false;
    if (field->type == 1 || field->type == 5)
        size = field->type == 1 ? 8 : 4;
    else if (field->type != 2)
        return false;
    if (size > (uint64_t)(end - *at))
        return false;
    field->content = *at;
    field->size = (size_t)size;
    *at += size;
    return true;
}
