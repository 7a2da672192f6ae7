/* SPDX-License-Identifier: MIT */
/* log_value.h - a line of a run log as an array of values, and typed access to its fields. */
#ifndef TOOLS_LOG_LOG_VALUE_H
#define TOOLS_LOG_LOG_VALUE_H

#include "core/text/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum log_kind {
    LOG_NULL,
    LOG_FALSE,
    LOG_TRUE,
    LOG_INTEGER,
    LOG_REAL,
    LOG_STRING,
    LOG_ARRAY,
    LOG_OBJECT
};

/* The types of lines (docs/run-log.md), the most frequent ones first. */
/* clang-format off */
#define LINE_TYPES_EACH(EACH)                                                                      \
    EACH(STEP, "step") EACH(METRIC, "metric") EACH(BEGIN, "begin") EACH(END, "end")                \
    EACH(CANCEL, "cancel") EACH(REPORT, "report") EACH(VALUE, "value") EACH(ALERT, "alert")        \
    EACH(NOTE, "note") EACH(SPAN_BEGIN, "span_begin") EACH(SPAN_END, "span_end")                   \
    EACH(CONFIG, "config") EACH(COUNTER, "counter") EACH(RUN, "run") EACH(FINISH, "finish")        \
    EACH(FINDING, "finding") EACH(RANKS, "ranks") EACH(CLOCK, "clock") EACH(PAUSE, "pause")        \
    EACH(RESUME, "resume") EACH(EXPECT, "expect") EACH(RULE, "rule") EACH(SUMMARY, "summary")      \
    EACH(LINE, "line") EACH(BLOCKS, "blocks") EACH(LOST, "lost")                                   \
    EACH(WINDOW_BEGIN, "window_begin") EACH(WINDOW_END, "window_end") EACH(STEPS, "steps")         \
    EACH(INDEX, "index")
/* clang-format on */
#define LINE_TYPE_ENUM(type, name) LINE_##type,
enum line_type {
    LINE_NONE, /* it is no line, or has no type */
    LINE_OTHER,
    LINE_TYPES_EACH(LINE_TYPE_ENUM) LINE_TYPES
};

/* A value. What is inside of it follows in the array: the elements, or each key, which is a string,
 * and its value. */
struct log_value {
    enum log_kind kind;
    unsigned char type; /* of a line: enum line_type */
    bool flat;          /* nothing inside has something inside */
    unsigned char mark; /* of a key: log_key_mark() */
    size_t size;        /* bytes of a text; elements or members */
    size_t span;        /* itself and all values inside */
    union {
        int64_t integer;
        const char *text; /* of a string, terminated by a NUL; of a real number as it is written */
        const size_t *place; /* of a large list: where its elements are, or its sorted keys */
        uint64_t marks;      /* of another object: a bit for the mark of each key */
    };
};

/* Larger lists have an index, so that a line of millions does not take hours. */
enum { LOG_FEW = 32 };
static inline bool log_has_places(const struct log_value *list)
{
    return list->size > LOG_FEW && !list->flat;
}

/* ---- access; a value may be NULL, which is none ---- */

static inline bool log_is(const struct log_value *value, enum log_kind kind)
{
    return value && value->kind == kind;
}

static inline enum line_type log_type(const struct log_value *line)
{
    return line ? (enum line_type)line->type : LINE_NONE;
}

static inline bool log_is_type(const struct log_value *line, enum line_type type)
{
    return log_type(line) == type;
}

/* Returns less than 0, 0 or more than 0, as a key comes before a text, is it, or comes after it in
 * the index of a large object. */
int log_key_order(const struct log_value *key, const char *text, size_t size);

/* Returns a number from 0 to 63. Two keys of an object rarely have the same. */
static inline unsigned char log_key_mark(const char *key, size_t size)
{
    unsigned last = size ? (unsigned char)key[size - 1] : 0;
    return (size * 7 + (unsigned char)*key * 5 + last) & 63;
}

/* Returns the value of a member, or NULL. mark: of the key, which may be there. */
const struct log_value *log_member(const struct log_value *object, const char *key, size_t size,
                                   unsigned char mark);

/* It is inline, so that the length and the mark of a constant are constant too. Most of what is
 * looked for is not there. */
static inline const struct log_value *log_get(const struct log_value *object, const char *key)
{
    unsigned char mark = log_key_mark(key, strlen(key));
    if (!object || object->kind != LOG_OBJECT ||
        (!log_has_places(object) && !(object->marks >> mark & 1)))
        return NULL;
    return log_member(object, key, strlen(key), mark);
}

/* Returns how many elements an array has; 0 of others. */
static inline size_t log_count(const struct log_value *value)
{
    return log_is(value, LOG_ARRAY) ? value->size : 0;
}

/* Returns an element of an array, or NULL. Several in turn are faster with log_first(). */
const struct log_value *log_at(const struct log_value *array, size_t index);

/* Return the first and the next element of an array, or NULL after the last. */
static inline const struct log_value *log_first(const struct log_value *array)
{
    return array && array->kind == LOG_ARRAY && array->size ? array + 1 : NULL;
}

static inline const struct log_value *log_after(const struct log_value *list,
                                                const struct log_value *value)
{
    const struct log_value *next = value + value->span;
    return next < list + list->span ? next : NULL;
}

/* Return the first and the next key of an object, or NULL after the last. The value of a key
 * follows it. */
static inline const struct log_value *log_first_key(const struct log_value *object)
{
    return log_is(object, LOG_OBJECT) && object->size ? object + 1 : NULL;
}

static inline const struct log_value *log_next_key(const struct log_value *object,
                                                   const struct log_value *key)
{
    return log_after(object, key + 1);
}

/* Returns the text of a string, or NULL. */
static inline const char *log_text(const struct log_value *value)
{
    return log_is(value, LOG_STRING) ? value->text : NULL;
}

/* Returns an integer, or 0. */
static inline int64_t log_whole(const struct log_value *value)
{
    return log_is(value, LOG_INTEGER) ? value->integer : 0;
}

/* Returns a number, which may be written as "NaN", "Infinity" or "-Infinity", or fallback. */
double log_number(const struct log_value *value, double fallback);

/* The same of what is written as a number. */
double log_digits(const struct log_value *value, double fallback);

/* Return fields of an object, or fallback if the field is missing or has another type. */
static inline int64_t log_integer(const struct log_value *object, const char *key, int64_t fallback)
{
    const struct log_value *value = log_get(object, key);
    return log_is(value, LOG_INTEGER) ? value->integer : fallback;
}

static inline double log_real(const struct log_value *object, const char *key, double fallback)
{
    return log_number(log_get(object, key), fallback);
}

static inline const char *log_string(const struct log_value *object, const char *key,
                                     const char *fallback)
{
    const char *text = log_text(log_get(object, key));
    return text ? text : fallback;
}

static inline bool log_true(const struct log_value *object, const char *key)
{
    return log_is(log_get(object, key), LOG_TRUE);
}

static inline bool log_false(const struct log_value *object, const char *key)
{
    return log_is(log_get(object, key), LOG_FALSE);
}

/* Limits a time in nanoseconds to 36 years, so that sums and differences fit. */
static inline int64_t log_time_limited(int64_t ns)
{
    const int64_t most = INT64_C(1) << 60;
    return ns < -most ? -most : ns < most ? ns : most;
}

/* Returns such a field. */
static inline int64_t log_time(const struct log_value *object, const char *key, int64_t fallback)
{
    return log_time_limited(log_integer(object, key, fallback));
}

/* ---- durations of a step ---- */

/* Returns a time or a duration in nanoseconds, from 0 to 36 days: sums of a line's fit. */
int64_t log_ns(const struct log_value *value);

/* Returns that of a list of them, or of one. */
int64_t log_ns_sum(const struct log_value *value);

/* Returns whether an action of a step ran in its batch; the self times of those that did. selves:
 * NULL, or those that are not the durations. */
bool log_is_in_batch(const char *action);
int64_t log_selves_sum(const struct log_value *durations, const struct log_value *selves);

/* ---- copies, which outlive the line ---- */

/* Returns a copy, to be given to free(), or NULL if out of memory, or of NULL. */
struct log_value *log_value_copy(const struct log_value *value);

/* Initialise it as {0}. */
struct kept_lines {
    size_t count, room;
    struct log_value **line;
    struct swi_map names; /* if they have names: of each line */
};

/* Keep a copy of a line, or of a line with a name in place of the one before with that name. NULL
 * is not kept. Return false if out of memory. */
bool kept_lines_add(struct kept_lines *kept, const struct log_value *line);
bool kept_lines_put(struct kept_lines *kept, const char *name, const struct log_value *line);

void kept_lines_free(struct kept_lines *kept);

/* ---- parsing a line ---- */

/* Initialise it as {0}. */
struct log_line {
    struct log_value *value;
    size_t count, room;
    char *decoded; /* texts that had escapes */
    size_t decoded_room;
    size_t **place;
    size_t places, place_room;
    bool failed; /* out of memory */
};

/* Parses an object or an array. text: `size` bytes and a NUL, which the values are part of until
 * the next line. Nothing else may follow, no key may be given twice, and integers must fit into 64
 * bits. Returns NULL if it is not valid, and then the text is as it was, or if out of memory. */
const struct log_value *log_line_parse(struct log_line *line, char *text, size_t size);
void log_line_free(struct log_line *line);

#endif
