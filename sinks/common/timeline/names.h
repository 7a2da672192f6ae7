/* SPDX-License-Identifier: MIT */
/* names.h - the names in a timeline: each is repaired and escaped once, and known by a number. */
#ifndef SINKS_COMMON_TIMELINE_NAMES_H
#define SINKS_COMMON_TIMELINE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a name is to the loop. Actions of the user are SWI_KIND_OTHER. */
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
    char *text;  /* UTF-8 without control characters but tab and newline */
    char *json;  /* the same as a JSON string with its quotes */
    size_t size; /* bytes of text */
    size_t json_size;
    enum swi_kind kind;
    char *key; /* as it was given */
    size_t key_size;
    uint32_t hash;
};

/* Begins as {0}. */
struct swi_timeline_names {
    size_t count, room;
    struct swi_timeline_name *item;
    uint32_t *slot; /* number + 1 by hash; 0 is free */
    size_t slots;
};

/* The number of a name, which is new if it was not there. -1 if out of memory. */
int32_t swi_timeline_name(struct swi_timeline_names *names, const char *text, size_t size);

void swi_timeline_names_free(struct swi_timeline_names *names);

struct swi_text;

/* Adds a JSON string with its quotes as every viewer shows it: a byte that is not UTF-8 and a
 * control character but tab and newline become U+FFFD, and nothing is escaped that need not be. */
void swi_timeline_json(struct swi_text *out, const char *text, size_t size);

/* The same without quotes and escapes. */
void swi_timeline_repair(struct swi_text *out, const char *text, size_t size);

#endif
