/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/protobuf_text.h"

void swi_pb_add_message(struct swi_text *to, unsigned field, const struct swi_text *message)
{
    char head[SWI_PB_FIELD];
    const char *end = swi_pb_head(head, field, message->size);
    swi_text_add(to, head, (size_t)(end - head));
    swi_text_add(to, message->data ? message->data : "", message->size);
    to->failed |= message->failed;
}

void swi_pb_add_text(struct swi_text *to, unsigned field, const char *text, size_t size)
{
    char head[SWI_PB_FIELD];
    const char *end = swi_pb_head(head, field, size);
    swi_text_add(to, head, (size_t)(end - head));
    swi_text_add(to, text, size);
}

void swi_pb_add_number(struct swi_text *to, unsigned field, uint64_t value)
{
    char bytes[2 * SWI_PB_FIELD];
    const char *end = swi_pb_number(bytes, field, value);
    swi_text_add(to, bytes, (size_t)(end - bytes));
}
