/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/record_messages.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "core/text/wire.h"

#include <inttypes.h>

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

unsigned swi_record_kind(const void *record, size_t size, int64_t *number)
{
    struct swi_wire_field field = {0};
    const char *at = record, *end = at + size;
    bool numbered = swi_wire_read(&at, end, &field) && field.number == 1;
    *number = numbered ? (int64_t)field.value : 0;
    return numbered && swi_wire_read(&at, end, &field) ? field.number : SWI_RECORD_UNKNOWN;
}

/* ---- the environment as JSON ----------------------------------------------------------------- */

/* The names of the fields, in their order; NULL: not in the JSON. */
struct names {
    const struct swi_message_type *type;
    const char *const *name;
};

/* clang-format off */
#define NAMES(type, ...) {&swi_##type##_type, (const char *const[]){__VA_ARGS__}}
static const struct names names[] = {
    NAMES(environment, "os", "python", "startedAt", "docker", "args", "program", "codePath",
          "codePathLocal", "git", "email", "root", "host", "username", "executable", "cpu_count",
          "cpu_count_logical", "gpu", "gpu_count", "disk", "memory", "cpu", "gpu_nvidia",
          "cudaVersion", "slurm", "writerId"),
    NAMES(git, "remote", "commit"),
    NAMES(disk_info, "total", "used"),
    NAMES(memory_info, "total"),
    NAMES(cpu_info, NULL, "model"),
    NAMES(gpu_nvidia_info, "name", "memoryTotal", "cudaCores", "architecture", "uuid", "pciBusId"),
};
/* clang-format on */

static void field_put(struct swi_text *json, const char *name,
                      const struct swi_message_field *field, const void *message);

/* Each member begins with a comma; that of the first one becomes the bracket. */
static void brackets_put(struct swi_text *json, size_t begin, const char *brackets)
{
    if (json->size > begin)
        json->data[begin] = brackets[0];
    else
        swi_text_add(json, brackets, 1);
    swi_text_put(json, brackets + 1);
}

static void members_put(struct swi_text *json, const struct swi_message_type *type,
                        const void *message)
{
    const struct names *of = names;
    while (of->type != type)
        of++;
    for (size_t i = 0; i < type->count; i++)
        if (of->name[i])
            field_put(json, of->name[i], &type->field[i], message);
}

static bool is_map(const struct swi_message_field *field)
{
    return field->type == &swi_disk_entry_type || field->type == &swi_text_entry_type;
}

static void entry_put(struct swi_text *json, const struct swi_message_field *field,
                      const void *item)
{
    if (field->kind == SWI_KIND_TEXT) {
        swi_json_format(json, ",%s", (const char *)item);
    } else if (is_map(field)) {
        const struct swi_text_entry_message *entry = item;
        field_put(json, entry->key, &field->type->field[1], entry);
    } else {
        swi_text_put(json, ",");
        size_t begin = json->size;
        members_put(json, field->type, item);
        brackets_put(json, begin, "{}");
    }
}

/* Adds an object or a list, unless it is empty. */
static void several_put(struct swi_text *json, const char *name,
                        const struct swi_message_field *field, const char *message)
{
    const void *const *at = (const void *const *)(message + field->at);
    bool list = field->how == SWI_LIST;
    size_t before = json->size, count = list ? *(const size_t *)(message + field->beside) : 0;
    swi_json_format(json, ",%s:", name);
    size_t begin = json->size;
    for (size_t i = 0; i < count; i++)
        entry_put(json, field, ((const void *const *)*at)[i]);
    if (!list && *at)
        members_put(json, field->type, *at);
    if (json->size > begin)
        brackets_put(json, begin, list && !is_map(field) ? "[]" : "{}");
    else
        json->size = before;
}

/* 64-bit numbers are texts in this file. */
static void field_put(struct swi_text *json, const char *name,
                      const struct swi_message_field *field, const void *message)
{
    const void *at = (const char *)message + field->at;
    const char *text = field->kind == SWI_KIND_TEXT ? *(const char *const *)at : NULL;
    char date[SWI_ISO_DATE];
    if (field->type == &swi_timestamp_type) {
        const struct swi_timestamp_message *stamp =
            *(const struct swi_timestamp_message *const *)at;
        if (stamp && swi_iso_date(date, stamp->seconds, stamp->nanos / 1000, "Z"))
            text = date;
    } else if (field->how == SWI_LIST || field->kind == SWI_KIND_MESSAGE) {
        several_put(json, name, field, message);
        return;
    }
    if (text && *text)
        swi_json_format(json, ",%s:%s", name, text);
    if (field->kind == SWI_KIND_UINT32 && *(const uint32_t *)at)
        swi_json_format(json, ",%s:%" PRIu64, name, (uint64_t) * (const uint32_t *)at);
    if (field->kind == SWI_KIND_UINT64 && *(const uint64_t *)at)
        swi_json_format(json, ",%s:\"%" PRIu64 "\"", name, *(const uint64_t *)at);
}

void swi_environment_json(struct swi_text *json, const struct swi_environment_message *environment)
{
    size_t begin = json->size;
    members_put(json, &swi_environment_type, environment);
    brackets_put(json, begin, "{}");
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
