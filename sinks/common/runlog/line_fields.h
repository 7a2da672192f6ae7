/* SPDX-License-Identifier: MIT */
/* line_fields.h - the fields of a line of the run log, and its begin and end. Every field but the
 * first begins with a comma.
 *
 * Keys are constants: their lengths are known, so each is copied together with the quotes and the
 * colon around it. */
#ifndef SINKS_COMMON_RUNLOG_LINE_FIELDS_H
#define SINKS_COMMON_RUNLOG_LINE_FIELDS_H

#include "core/text/buffer.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"

#include <stepwatch/sink.h>

#define SWI_FIELD static inline __attribute__((always_inline)) void

/* Adds a key; the caller adds its value. */
SWI_FIELD swi_field_key(struct swi_text *text, const char *key)
{
    swi_text_put(text, ",\"");
    swi_text_put(text, key);
    swi_text_put(text, "\":");
}

SWI_FIELD swi_field_string(struct swi_text *text, const char *key, const char *value)
{
    swi_field_key(text, key);
    swi_escape_json(text, value);
}

SWI_FIELD swi_field_integer(struct swi_text *text, const char *key, int64_t value)
{
    swi_field_key(text, key);
    swi_text_integer(text, value);
}

SWI_FIELD swi_field_bool(struct swi_text *text, const char *key, bool value)
{
    swi_field_key(text, key);
    swi_text_put(text, value ? "true" : "false");
}

SWI_FIELD swi_field_number(struct swi_text *text, const char *key, double value)
{
    swi_field_key(text, key);
    swi_number_json(text, value);
}

/* Adds a list of texts, which ends with NULL. */
SWI_FIELD swi_field_texts(struct swi_text *text, const char *key, const char *const *list)
{
    swi_field_key(text, key);
    for (size_t i = 0; list[i]; i++) {
        swi_text_put(text, i ? "," : "[");
        swi_escape_json(text, list[i]);
    }
    swi_text_put(text, *list ? "]" : "[]");
}

/* Marks what a replay makes itself. */
SWI_FIELD swi_field_by_profiler(struct swi_text *text)
{
    swi_field_string(text, "by", "profiler");
}

SWI_FIELD swi_field_mode(struct swi_text *text, enum sw_mode mode)
{
    swi_field_string(text, "mode", mode == SW_MODE_SIMPLE ? "simple" : "throughput");
}

SWI_FIELD swi_line_begin(struct swi_text *text, const char *type)
{
    swi_text_put(text, "{\"type\":\"");
    swi_text_put(text, type);
    swi_text_put(text, "\"");
}

SWI_FIELD swi_line_begin_at(struct swi_text *text, const char *type, int64_t time_ns)
{
    swi_line_begin(text, type);
    swi_field_integer(text, "t", time_ns);
}

SWI_FIELD swi_line_end(struct swi_text *text)
{
    swi_text_put(text, "}\n");
}

#endif
