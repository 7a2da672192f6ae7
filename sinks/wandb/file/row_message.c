/* SPDX-License-Identifier: MIT */
/* By the numbers of sinks/wandb/file/wandb.proto, in their order as protobuf-c writes them:
 *
 *     Record  { int64 num = 1; History history = 2; Items summary = 3; }
 *     History { repeated Item item = 1; HistoryStep step = 2; }
 *     Items   { repeated Item update = 1; }
 *     Item    { repeated string nested_key = 2; string value_json = 16; }
 *     HistoryStep { int64 num = 1; }
 */
#include "sinks/wandb/file/row_message.h"

#include <string.h>

/* The number of a field and the encoding of its value: an integer, or its size and its bytes. */
#define TAG_INTEGER(field) ((field) << 3)
#define TAG_BYTES(field) ((field) << 3 | 2)

static size_t integer_size(uint64_t value)
{
    size_t size = 1;
    for (; value >= 128; value >>= 7)
        size++;
    return size;
}

static unsigned char *integer_put(unsigned char *to, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *to++ = (unsigned char)(value | 128);
    *to++ = (unsigned char)value;
    return to;
}

static unsigned char *bytes_put(unsigned char *to, unsigned tag, const void *bytes, size_t size)
{
    to = integer_put(integer_put(to, tag), size);
    memcpy(to, bytes, size);
    return to + size;
}

/* ---- items ----------------------------------------------------------------------------------- */

struct value {
    const char *json;
    size_t size;
};

static struct value value_of(const struct swi_field *field)
{
    bool empty = !field->json.size;
    return (struct value){empty ? "null" : field->json.data, empty ? 4 : field->json.size};
}

/* The tag of the key takes one byte, that of the value two. */
static size_t item_size(const struct swi_field *field)
{
    size_t json = value_of(field).size;
    return 3 + integer_size(field->key_size) + field->key_size + integer_size(json) + json;
}

static unsigned char *item_put(unsigned char *to, const struct swi_field *field)
{
    struct value value = value_of(field);
    to = integer_put(integer_put(to, TAG_BYTES(1)), item_size(field));
    to = bytes_put(to, TAG_BYTES(2), field->key, field->key_size);
    return bytes_put(to, TAG_BYTES(16), value.json, value.size);
}

/* ---- the record ------------------------------------------------------------------------------ */

/* 0 is not written, because it is the default. */
static size_t step_size(int64_t step)
{
    return step ? 1 + integer_size((uint64_t)step) : 0;
}

static unsigned char *step_put(unsigned char *to, int64_t step)
{
    to = integer_put(integer_put(to, TAG_BYTES(2)), step_size(step));
    return step ? integer_put(integer_put(to, TAG_INTEGER(1)), (uint64_t)step) : to;
}

size_t swi_row_message_size(struct swi_row_message *message)
{
    size_t body = message->is_summary ? 0 : 2 + step_size(message->step);
    for (size_t i = 0; i < message->row->count; i++) {
        size_t item = item_size(&message->row->item[i]);
        body += 1 + integer_size(item) + item;
    }
    message->body = body;
    return 2 + integer_size((uint64_t)message->number) + integer_size(body) + body;
}

void swi_row_message_put(const struct swi_row_message *message, unsigned char *to)
{
    to = integer_put(integer_put(to, TAG_INTEGER(1)), (uint64_t)message->number);
    to = integer_put(integer_put(to, message->is_summary ? TAG_BYTES(3) : TAG_BYTES(2)),
                     message->body);
    for (size_t i = 0; i < message->row->count; i++)
        to = item_put(to, &message->row->item[i]);
    if (!message->is_summary)
        step_put(to, message->step);
}
