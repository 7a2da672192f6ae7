/* SPDX-License-Identifier: MIT */
/* row_message.h - encodes a row as a record of the history or of the summary.
 *
 * A row is written for each step, so it needs no message for each value, which takes several times
 * as long. The bytes are those of swi_record_message_add() (tests/wandb/test_rows.c). A key is a
 * nested_key of one part, because a point in it does not separate levels. */
#ifndef SINKS_WANDB_FILE_ROW_MESSAGE_H
#define SINKS_WANDB_FILE_ROW_MESSAGE_H

#include "core/text/buffer.h"
#include "sinks/wandb/values/fields.h"

#include <stdbool.h>

struct swi_row_message {
    const struct swi_fields *row;
    bool is_summary;
    int64_t step;   /* for a row of the history */
    int64_t number; /* of the record, at least 1 */
};

void swi_row_message_add(struct swi_text *to, const struct swi_row_message *message);

#endif
