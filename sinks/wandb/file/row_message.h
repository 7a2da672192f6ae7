/* SPDX-License-Identifier: MIT */
/* row_message.h - encodes a row as a record of the history or of the summary.
 *
 * A row is written for each step, so it is encoded by hand: protobuf-c first needs a message for
 * each value and takes several times as long. The bytes are the same (tests/wandb/test_rows.c). A
 * key is a nested_key of one part, because a point in it does not separate levels. */
#ifndef SINKS_WANDB_FILE_ROW_MESSAGE_H
#define SINKS_WANDB_FILE_ROW_MESSAGE_H

#include "sinks/wandb/values/fields.h"

#include <stdbool.h>

struct swi_row_message {
    const struct swi_fields *row;
    bool is_summary;
    int64_t step;   /* for a row of the history */
    int64_t number; /* of the record, at least 1 */
    size_t body;    /* bytes; set by swi_row_message_size() */
};

/* Returns how many bytes the record takes. Call it before swi_row_message_put(). */
size_t swi_row_message_size(struct swi_row_message *message);
void swi_row_message_put(const struct swi_row_message *message, unsigned char *to);

#endif
