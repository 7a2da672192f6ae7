/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/record_messages.h"
#include "core/text/wire.h"

SWI_MESSAGE_TYPE(item, SWI_ITEM_FIELDS)
SWI_PLAIN_MESSAGES(SWI_MESSAGE_TYPE)
SWI_MESSAGE_TYPE(record, SWI_RECORD_FIELDS)

void swi_record_message_add(struct swi_text *to, const struct swi_record_message *record)
{
    swi_message_add(to, &swi_record_type, record);
}

struct swi_record_message *swi_record_message_read(const void *bytes, size_t size, size_t most)
{
    return swi_message_read(&swi_record_type, bytes, size, most);
}

/* ---- rows of the history --------------------------------------------------------------------- */

/* Encodes a row as a record of the history or of the summary.
 *
 * A row is written for each step, so it needs no message for each value, which takes several times
 * as long. The bytes are those of swi_record_message_add() (tests/wandb/test_rows.c). A key is a
 * nested_key of one part, because a point in it does not separate levels. */

struct value {
    const char *json;
    size_t size;
};

static struct value value_of(const struct swi_field *field)
{
    bool empty = !field->json.size;
    return (struct value){empty ? "null" : field->json.data, empty ? 4 : field->json.size};
}

/* ---- by the numbers of record_messages.h, in their order ------------------------------------- */

/* The tag of the key takes one byte, that of the value two. */
static size_t item_size(const struct swi_field *field)
{
    return swi_wire_field_size(field->key_size) + 1 + swi_wire_field_size(value_of(field).size);
}

static char *item_put(char *to, const struct swi_field *field)
{
    struct value value = value_of(field);
    to = swi_wire_head(to, 1, item_size(field));
    to = swi_wire_bytes(to, 2, field->key, field->key_size);
    return swi_wire_bytes(to, 16, value.json, value.size);
}

/* 0 is not written, because it is the default. */
static size_t step_size(int64_t step)
{
    return step ? 1 + swi_wire_size((uint64_t)step) : 0;
}

static char *step_put(char *to, int64_t step)
{
    to = swi_wire_head(to, 2, step_size(step));
    return step ? swi_wire_number(to, 1, (uint64_t)step) : to;
}

void swi_row_message_add(struct swi_text *to, const struct swi_row_message *message)
{
    size_t body = message->is_summary ? 0 : 2 + step_size(message->step);
    for (size_t i = 0; i < message->row->count; i++)
        body += swi_wire_field_size(item_size(&message->row->item[i]));
    if (!swi_text_reserve(to, 2 * SWI_WIRE_FIELD + body))
        return;
    char *at = to->data + to->size;
    at = swi_wire_number(at, 1, (uint64_t)message->number);
    at = swi_wire_head(at, message->is_summary ? 3 : 2, body);
    for (size_t i = 0; i < message->row->count; i++)
        at = item_put(at, &message->row->item[i]);
    if (!message->is_summary)
        at = step_put(at, message->step);
    to->size = (size_t)(at - to->data);
    *at = '\0';
}
