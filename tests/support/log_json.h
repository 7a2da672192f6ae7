/* SPDX-License-Identifier: MIT */
/* log_json.h - a value of a run log as jansson has it, to compare the two readers. */
#ifndef TESTS_SUPPORT_LOG_JSON_H
#define TESTS_SUPPORT_LOG_JSON_H

#include "tools/log/log_value.h"

#include <jansson.h>

/* Returns the value as a tree, to be given to json_decref(), or NULL if out of memory. */
static inline json_t *log_value_json(const struct log_value *value);

static inline json_t *log_object_json(const struct log_value *object)
{
    json_t *json = json_object();
    for (const struct log_value *key = log_first_key(object); key; key = log_next_key(object, key))
        json_object_set_new(json, key->text, log_value_json(key + 1));
    return json;
}

static inline json_t *log_array_json(const struct log_value *array)
{
    json_t *json = json_array();
    for (const struct log_value *value = log_first(array); value; value = log_after(array, value))
        json_array_append_new(json, log_value_json(value));
    return json;
}

static inline json_t *log_value_json(const struct log_value *value)
{
    switch (value ? value->kind : LOG_NULL) {
    case LOG_INTEGER:
        return json_integer(value->integer);
    case LOG_REAL:
        return json_real(log_digits(value, 0));
    case LOG_STRING:
        return json_stringn(value->text, value->size);
    case LOG_ARRAY:
        return log_array_json(value);
    case LOG_OBJECT:
        return log_object_json(value);
    case LOG_NULL:
        return json_null();
    default:
        return json_boolean(value->kind == LOG_TRUE);
    }
}

#endif
