/* SPDX-License-Identifier: MIT */
/* trackio_object.h - the values of a step as a JSON object in which each key is there once. */
#ifndef SINKS_SQLITE_TRACKIO_OBJECT_H
#define SINKS_SQLITE_TRACKIO_OBJECT_H

#include "core/text/buffer.h"
#include "core/text/map.h"

/* A key and its value. */
struct swi_object_pair {
    size_t key;        /* its number */
    size_t begin, end; /* in the text */
    bool replaced;     /* a later pair has the same key */
};

/* Initialise it as {0}. */
struct swi_object {
    struct swi_text text; /* the pairs, one after the other */
    struct swi_object_pair *pair;
    size_t count, room;
    struct swi_map keys; /* of this step and of earlier ones */
    size_t *newest;      /* by the number of the key: its newest pair, from 1; 0: none */
};

/* Begins a pair, whose value the caller adds to the text. A pair with this key is replaced. Names
 * that Trackio uses itself get __ in front. */
void swi_object_key(struct swi_object *object, const char *name);

/* Adds the whole object to `json`, and empties it. json->failed is set if out of memory. */
void swi_object_take(struct swi_object *object, struct swi_text *json);

void swi_object_free(struct swi_object *object);

#endif
