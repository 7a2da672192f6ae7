/* SPDX-License-Identifier: MIT */
/* wire_message.h - writes and reads structs as messages of protobuf.
 *
 * A macro lists the fields of a message in the order of their numbers, in which they are written:
 *
 *     #define SWI_GIT_FIELDS(S, F, L, C) F(S, TEXT, , remote, 1) L(S, MESSAGE, commit, commit, 2)
 *     SWI_MESSAGE_STRUCT(git, SWI_GIT_FIELDS)  // struct swi_git_message
 *     SWI_MESSAGE_TYPE(git, SWI_GIT_FIELDS)    // swi_git_type, in a source
 *
 * F(S, type, of, name, number) is a member. If its type is MESSAGE, it points to the struct that
 * `of` names. L is a list, with its count n_NAME before it. C is one value of a choice: the member
 * `what` has the number of the one that is there. Members that are 0, NULL or "" are not written.
 */
#ifndef CORE_TEXT_WIRE_MESSAGE_H
#define CORE_TEXT_WIRE_MESSAGE_H

#include "core/text/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the struct of a message ----------------------------------------------------------------- */

struct swi_bytes {
    const char *data;
    size_t size;
};
#define SWI_C_INT32(of) int32_t
#define SWI_C_INT64(of) int64_t
#define SWI_C_UINT32(of) uint32_t
#define SWI_C_UINT64(of) uint64_t
#define SWI_C_SINT64(of) int64_t
#define SWI_C_BOOL(of) bool
#define SWI_C_FLOAT(of) float
#define SWI_C_DOUBLE(of) double
#define SWI_C_TEXT(of) const char *
#define SWI_C_BYTES(of) struct swi_bytes
#define SWI_C_MESSAGE(name) const struct swi_##name##_message *

#define SWI_MEMBER(S, type, of, name, number) SWI_C_##type(of) name;
#define SWI_LIST_MEMBER(S, type, of, name, number)                                                 \
    size_t n_##name;                                                                               \
    SWI_C_##type(of) const *name;
#define SWI_NO_MEMBER(S, type, of, name, number)

#define SWI_MESSAGE_STRUCT(name, FIELDS)                                                           \
    struct swi_##name##_message {                                                                  \
        FIELDS(, SWI_MEMBER, SWI_LIST_MEMBER, SWI_NO_MEMBER)                                       \
    };
/* what: the type of that member, an int or an enum. */
#define SWI_CHOICE_STRUCT(name, FIELDS, what_type)                                                 \
    struct swi_##name##_message {                                                                  \
        FIELDS(, SWI_MEMBER, SWI_LIST_MEMBER, SWI_NO_MEMBER)                                       \
        what_type what;                                                                            \
        union {                                                                                    \
            FIELDS(, SWI_NO_MEMBER, SWI_NO_MEMBER, SWI_MEMBER)                                     \
        };                                                                                         \
    };

/* ---- the table of its fields ----------------------------------------------------------------- */

enum swi_message_kind {
    SWI_KIND_INT32,
    SWI_KIND_INT64,
    SWI_KIND_UINT32,
    SWI_KIND_UINT64,
    SWI_KIND_SINT64,
    SWI_KIND_BOOL,
    SWI_KIND_FLOAT,
    SWI_KIND_DOUBLE,
    SWI_KIND_TEXT,
    SWI_KIND_BYTES,
    SWI_KIND_MESSAGE
};
enum swi_message_how { SWI_ONE, SWI_LIST, SWI_CHOICE };

struct swi_message_field {
    uint8_t kind, how;
    uint16_t number;
    uint16_t at;     /* of the member in the struct */
    uint16_t beside; /* of the count of a list, or of what the choice is */
    const struct swi_message_type *type;
};

struct swi_message_type {
    size_t size; /* of the struct */
    const struct swi_message_field *field;
    size_t count;
};

/* Of a type its kind, and the table of its fields. */
#define SWI_T_INT32(of) SWI_KIND_INT32, NULL
#define SWI_T_INT64(of) SWI_KIND_INT64, NULL
#define SWI_T_UINT32(of) SWI_KIND_UINT32, NULL
#define SWI_T_UINT64(of) SWI_KIND_UINT64, NULL
#define SWI_T_SINT64(of) SWI_KIND_SINT64, NULL
#define SWI_T_BOOL(of) SWI_KIND_BOOL, NULL
#define SWI_T_FLOAT(of) SWI_KIND_FLOAT, NULL
#define SWI_T_DOUBLE(of) SWI_KIND_DOUBLE, NULL
#define SWI_T_TEXT(of) SWI_KIND_TEXT, NULL
#define SWI_T_BYTES(of) SWI_KIND_BYTES, NULL
#define SWI_T_MESSAGE(name) SWI_KIND_MESSAGE, &swi_##name##_type

#define SWI_FIELD_(kind, type, how, number, at, beside) {kind, how, number, at, beside, type},
#define SWI_FIELD(...) SWI_FIELD_(__VA_ARGS__)
#define SWI_ONE_FIELD(S, type, of, name, number)                                                   \
    SWI_FIELD(SWI_T_##type(of), SWI_ONE, number, offsetof(S, name), 0)
#define SWI_LIST_FIELD(S, type, of, name, number)                                                  \
    SWI_FIELD(SWI_T_##type(of), SWI_LIST, number, offsetof(S, name), offsetof(S, n_##name))
#define SWI_CHOICE_FIELD(S, type, of, name, number)                                                \
    SWI_FIELD(SWI_T_##type(of), SWI_CHOICE, number, offsetof(S, name), offsetof(S, what))
/* A static table comes after those of the messages in it. */
#define SWI_MESSAGE_TYPE(name, FIELDS)                                                             \
    static const struct swi_message_field name##_field[] = {                                       \
        FIELDS(struct swi_##name##_message, SWI_ONE_FIELD, SWI_LIST_FIELD, SWI_CHOICE_FIELD)};     \
    static const struct swi_message_type swi_##name##_type = {                                     \
        sizeof(struct swi_##name##_message), name##_field,                                         \
        sizeof name##_field / sizeof *name##_field};

/* ---- writing and reading --------------------------------------------------------------------- */

/* Adds the bytes of a message. */
void swi_message_add(struct swi_text *to, const struct swi_message_type *type, const void *message);

/* Reads a message. In what it points to, texts that are not in the message are "", and other
 * pointers NULL. Unknown fields are skipped. most: bytes of memory that it may take; a message may
 * decode to many times its size.
 *
 * Returns the struct, for swi_message_free(); NULL if the bytes are not such a message, or there is
 * not enough memory. */
void *swi_message_read(const struct swi_message_type *type, const void *bytes, size_t size,
                       size_t most);

/* Frees it with all that it points to. Accepts NULL. */
void swi_message_free(void *message);

#endif
