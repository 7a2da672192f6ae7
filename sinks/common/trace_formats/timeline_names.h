/* SPDX-License-Identifier: MIT */
/* timeline_names.h - the names in a timeline. Each is repaired and escaped once, and has a number.
 */
#ifndef SINKS_COMMON_TRACE_FORMATS_TIMELINE_NAMES_H
#define SINKS_COMMON_TRACE_FORMATS_TIMELINE_NAMES_H

#include "core/text/map.h"

/* The part of the loop that a name stands for. Actions of the user are SWI_KIND_OTHER. */
enum swi_kind {
    SWI_KIND_OTHER,
    SWI_KIND_FIT,
    SWI_KIND_EPOCH,
    SWI_KIND_TRAIN,
    SWI_KIND_VALID,
    SWI_KIND_DRAW,
    SWI_KIND_BATCH,
    SWI_KIND_OPT_STEP,
    SWI_KIND_ZERO_GRAD
};

struct swi_timeline_name {
    char *text; /* UTF-8 without control characters except tab and newline */
    /* The same as a JSON string with its quotes. May be read in whole blocks of 16 bytes. */
    char *json;
    size_t size; /* bytes of text */
    size_t json_size;
    enum swi_kind kind;
};

/* Initialise it as {0}. */
struct swi_timeline_names {
    struct swi_map keys;            /* as they were given */
    struct swi_timeline_name *item; /* by the number of the key */
};

/* Returns the number of a name, and adds it if it is new. Returns -1 if out of memory. */
int32_t swi_timeline_name(struct swi_timeline_names *names, const char *text, size_t size);

void swi_timeline_names_free(struct swi_timeline_names *names);

struct swi_text;

/* Adds a JSON string with its quotes in a form that every viewer shows: invalid UTF-8 and control
 * characters except tab and newline become U+FFFD, and nothing is escaped unnecessarily. */
void swi_timeline_json(struct swi_text *out, const char *text, size_t size);

/* Adds the same without quotes and escapes. */
void swi_timeline_repair(struct swi_text *out, const char *text, size_t size);

#endif
