/* SPDX-License-Identifier: MIT */
#include "core/text/wire_message.h"

#include "core/text/wire.h"

#include <stdlib.h>

/* ---- writing --------------------------------------------------------------------------------- */

static const void *pointer_at(const void *at)
{
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

/* Lists are of texts, bytes and messages. */
static size_t size_in_list(const struct swi_message_field *field)
{
    return field->kind == SWI_KIND_BYTES ? sizeof(struct swi_bytes) : sizeof(void *);
}

static uint64_t number_at(const struct swi_message_field *field, const void *at)
{
    switch (field->kind) {
    case SWI_KIND_INT32:
        return (uint64_t)(int64_t)(*(const int32_t *)at);
    case SWI_KIND_UINT32:
        return *(const uint32_t *)at;
    case SWI_KIND_BOOL:
        return *(const bool *)at;
    case SWI_KIND_SINT64: /* small negative numbers are short, too */
        return *(const uint64_t *)at << 1 ^ (*(const int64_t *)at < 0 ? UINT64_MAX : 0);
    default:
        return *(const uint64_t *)at;
    }
}

static void value_add(struct swi_text *to, const struct swi_message_field *field, const void *at)
{
    const struct swi_bytes *bytes = at;
    const char *text;
    struct swi_text message = {0};
    switch (field->kind) {
    case SWI_KIND_FLOAT:
        swi_wire_add_float(to, field->number, *(const float *)at);
        return;
    case SWI_KIND_DOUBLE:
        swi_wire_add_double(to, field->number, *(const double *)at);
        return;
    case SWI_KIND_TEXT:
        text = pointer_at(at);
        swi_wire_add_text(to, field->number, text, text ? strlen(text) : 0);
        return;
    case SWI_KIND_BYTES:
        swi_wire_add_text(to, field->number, bytes->data, bytes->size);
        return;
    case SWI_KIND_MESSAGE:
        swi_message_add(&message, field->type, pointer_at(at));
        swi_wire_add_message(to, field->number, &message);
        return;
    default:
        swi_wire_add_number(to, field->number, number_at(field, at));
    }
}

/* Whether a member is written: of a choice also zero and an empty text. */
static bool is_given(const struct swi_message_field *field, const void *from, const void *at)
{
    int what = 0;
    bool choice = field->how == SWI_CHOICE;
    if (choice)
        memcpy(&what, (const char *)from + field->beside, sizeof what);
    if (choice && what != field->number)
        return false;
    switch (field->kind) {
    case SWI_KIND_TEXT:
        return pointer_at(at) && (choice || *(const char *)pointer_at(at));
    case SWI_KIND_BYTES:
        return ((const struct swi_bytes *)at)->data &&
               (choice || ((const struct swi_bytes *)at)->size);
    case SWI_KIND_MESSAGE:
        return pointer_at(at);
    case SWI_KIND_FLOAT:
        return choice || *(const float *)at != 0;
    case SWI_KIND_DOUBLE:
        return choice || *(const double *)at != 0;
    default:
        return choice || number_at(field, at);
    }
}

void swi_message_add(struct swi_text *to, const struct swi_message_type *type, const void *from)
{
    for (const struct swi_message_field *field = type->field; field < type->field + type->count;
         field++) {
        const char *at = (const char *)from + field->at;
        if (field->how == SWI_LIST) {
            const char *list = pointer_at(at);
            size_t count = *(const size_t *)(const void *)((const char *)from + field->beside);
            for (size_t i = 0; i < count; i++)
                value_add(to, field, list + i * size_in_list(field));
        } else if (is_given(field, from, at)) {
            value_add(to, field, at);
        }
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* All memory of a message is in such pieces. */
struct piece {
    struct piece *next;
    uint64_t bytes[];
};

/* The message that was read, and its memory. */
struct decoded {
    struct piece *piece;
    size_t left; /* bytes that it may still take */
    uint64_t message[];
};

/* Returns zeros. */
static void *take(struct decoded *decoded, size_t size)
{
    struct piece *piece = size <= decoded->left ? calloc(1, sizeof *piece + size) : NULL;
    if (!piece)
        return NULL;
    piece->next = decoded->piece;
    decoded->piece = piece;
    decoded->left -= size;
    return piece->bytes;
}

static bool message_read(struct decoded *decoded, const struct swi_message_type *type, void *to,
                         const char *at, const char *end);

static bool bytes_read(struct decoded *decoded, const struct swi_wire_field *from, char **bytes)
{
    *bytes = take(decoded, from->size + 1);
    if (*bytes)
        memcpy(*bytes, from->content, from->size);
    return *bytes;
}

static bool value_read(struct decoded *decoded, const struct swi_message_field *field, void *at,
                       const struct swi_wire_field *from)
{
    char *bytes;
    void *message;
    switch (field->kind) {
    case SWI_KIND_INT32:
    case SWI_KIND_UINT32:
        *(uint32_t *)at = (uint32_t)from->value;
        return true;
    case SWI_KIND_INT64:
    case SWI_KIND_UINT64:
        *(uint64_t *)at = from->value;
        return true;
    case SWI_KIND_SINT64:
        *(uint64_t *)at = from->value >> 1 ^ (from->value & 1 ? UINT64_MAX : 0);
        return true;
    case SWI_KIND_BOOL:
        *(bool *)at = from->value != 0;
        return true;
    case SWI_KIND_FLOAT:
        *(float *)at = swi_wire_as_float(from);
        return true;
    case SWI_KIND_DOUBLE:
        *(double *)at = swi_wire_as_double(from);
        return true;
    case SWI_KIND_TEXT:
        if (bytes_read(decoded, from, &bytes))
            memcpy(at, &bytes, sizeof bytes);
        return bytes;
    case SWI_KIND_BYTES:
        if (bytes_read(decoded, from, &bytes))
            *(struct swi_bytes *)at = (struct swi_bytes){bytes, from->size};
        return bytes;
    default: /* a message that comes in parts is all of them */
        memcpy(&message, at, sizeof message);
        message = message ? message : take(decoded, field->type->size);
        memcpy(at, &message, sizeof message);
        return message && message_read(decoded, field->type, message, from->content,
                                       from->content + from->size);
    }
}

/* Returns the place of one more value of a list, or NULL. */
static void *list_more(struct decoded *decoded, char *to, const struct swi_message_field *field)
{
    size_t *count = (size_t *)(void *)(to + field->beside), size = size_in_list(field);
    void *list;
    memcpy(&list, to + field->at, sizeof list);
    if ((*count & (*count - 1)) == 0) { /* there is room for a power of two */
        void *more = take(decoded, (*count ? 2 * *count : 1) * size);
        if (!more)
            return NULL;
        if (*count)
            memcpy(more, list, *count * size);
        list = more;
        memcpy(to + field->at, &list, sizeof list);
    }
    return (char *)list + (*count)++ * size;
}

/* Returns the place of a member of a choice, which is the chosen one from now on. */
static void *choice_made(char *to, const struct swi_message_field *field)
{
    int what;
    memcpy(&what, to + field->beside, sizeof what);
    if (what != field->number)
        memset(to + field->at, 0, sizeof(uint64_t)); /* none is of bytes */
    what = field->number;
    memcpy(to + field->beside, &what, sizeof what);
    return to + field->at;
}

static unsigned wire_type(const struct swi_message_field *field)
{
    if (field->kind == SWI_KIND_FLOAT)
        return 5;
    return field->kind == SWI_KIND_DOUBLE ? 1 : field->kind > SWI_KIND_DOUBLE ? 2 : 0;
}

static bool field_read(struct decoded *decoded, const struct swi_message_type *type, char *to,
                       const struct swi_wire_field *from)
{
    const struct swi_message_field *field = type->field, *end = field + type->count;
    while (field < end && field->number != from->number)
        field++;
    if (field == end)
        return true;
    if (from->type != wire_type(field))
        return false;
    void *at = field->how == SWI_LIST     ? list_more(decoded, to, field)
               : field->how == SWI_CHOICE ? choice_made(to, field)
                                          : to + field->at;
    return at && value_read(decoded, field, at, from);
}

static bool message_read(struct decoded *decoded, const struct swi_message_type *type, void *to,
                         const char *at, const char *end)
{
    static const char *const empty = "";
    struct swi_wire_field from;
    while (swi_wire_read(&at, end, &from))
        if (!field_read(decoded, type, to, &from))
            return false;
    for (const struct swi_message_field *field = type->field; field < type->field + type->count;
         field++)
        if (field->kind == SWI_KIND_TEXT && field->how == SWI_ONE &&
            !pointer_at((char *)to + field->at))
            memcpy((char *)to + field->at, &empty, sizeof empty);
    return from.begin == end;
}

void *swi_message_read(const struct swi_message_type *type, const void *bytes, size_t size,
                       size_t most)
{
    struct decoded *decoded = calloc(1, sizeof *decoded + type->size);
    if (!decoded)
        return NULL;
    decoded->left = most;
    if (message_read(decoded, type, decoded->message, bytes, (const char *)bytes + size))
        return decoded->message;
    swi_message_free(decoded->message);
    return NULL;
}

void swi_message_free(void *message)
{
    if (!message)
        return;
    struct decoded *decoded =
        (struct decoded *)(void *)((char *)message - offsetof(struct decoded, message));
    while (decoded->piece) {
        struct piece *piece = decoded->piece;
        decoded->piece = piece->next;
        free(piece);
    }
    free(decoded);
}
