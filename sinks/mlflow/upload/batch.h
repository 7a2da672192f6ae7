/* SPDX-License-Identifier: MIT */
/* batch.h - metrics and parameters that wait to be sent together, as the JSON of a request. */
#ifndef SINKS_MLFLOW_UPLOAD_BATCH_H
#define SINKS_MLFLOW_UPLOAD_BATCH_H

#include "core/text/buffer.h"

#include <stdbool.h>

/* The server stores nothing of a batch with more. The bytes are those of the request. */
enum { SWI_BATCH_METRICS = 1000, SWI_BATCH_PARAMS = 100, SWI_BATCH_BYTES = 900000 };

/* At most this many bytes of a request are around its items. */
enum { SWI_BATCH_AROUND = 256 };

/* It cuts the value of a tag without a word. */
enum { SWI_TAG_MAX = 8000 };

/* Where an item is in the text. */
struct swi_batch_item {
    size_t at, size;
    char *name; /* of the program, for messages */
};

/* Initialise it as {0}. */
struct swi_items {
    struct swi_text json; /* all of them, one after the other */
    struct swi_batch_item *item;
    size_t count, room;
    bool failed; /* out of memory */
};

void swi_items_free(struct swi_items *items);
void swi_items_clear(struct swi_items *items);

/* Begins an item; the caller adds its JSON to items->json, and ends it. */
void swi_item_begin(struct swi_items *items, const char *name);
void swi_item_end(struct swi_items *items);

/* Makes the body of log-batch of the items from `first` on, up to `last`. kind: "metrics" or
 * "params". */
void swi_items_body(struct swi_text *body, const struct swi_items *items, const char *kind,
                    const char *run_id, size_t first, size_t last);

/* Returns the end of the batch that begins with an item: at most so many, and so many bytes. */
size_t swi_items_end(const struct swi_items *items, size_t first, size_t most);

#endif
