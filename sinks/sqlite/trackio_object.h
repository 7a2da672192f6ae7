/* SPDX-License-Identifier: MIT */
/* trackio_object.h - the values of a step as a JSON object in which each key is there once. */
#ifndef SINKS_SQLITE_TRACKIO_OBJECT_H
#define SINKS_SQLITE_TRACKIO_OBJECT_H

#include "core/text/buffer.h"

enum { SWI_OBJECT_CHAINS = 256 };

/* A key and its value. */
struct swi_object_pair {
    uint32_t hash;
    int32_t next;      /* the pair before it with such a hash; -1: none */
    size_t begin, end; /* in the text */
    size_t key;        /* bytes of the key with its quotes */
    bool replaced;     /* a later pair has the same key */
};

/* Initialise it as {0}. */
struct swi_object {
    struct swi_text text; /* the pairs, one after the other */
    struct swi_object_pair *pair;
    size_t count, room;
    int32_t newest[SWI_OBJECT_CHAINS]; /* index of the newest pair by hash */
};

/* Begins a pair, whose value the caller adds to the text. A pair with this key is replaced. Names
 * that Trackio uses itself get __ in front. */
void swi_object_key(struct swi_object *object, const char *name);

/* Adds the whole object to `json`, and empties it. json->failed is set if out of memory. */
void swi_object_take(struct swi_object *object, struct swi_text *json);

void swi_object_free(struct swi_object *object);

#endif
