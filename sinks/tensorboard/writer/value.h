/* SPDX-License-Identifier: MIT */
/* value.h - makes tensors, and writes a tag's value with its metadata where they are due. */
#ifndef TENSORBOARD_VALUE_H
#define TENSORBOARD_VALUE_H

#include "sinks/tensorboard/writer/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* memory for the messages of one call, freed together. */

/* Zero-initialised is empty. */
struct swi_tb_arena {
    struct swi_tb_block *first;
    bool failed;  /* some memory was not to be had: what was made is not to be used */
    int repaired; /* texts that were not UTF-8 */
};

/* Zeroed memory for count things of size bytes; NULL without, and then failed is set. */
void *swi_tb_arena_new(struct swi_tb_arena *arena, size_t count, size_t size);

/* The text as valid UTF-8: itself, or a repaired copy. NULL is "". Never NULL. */
char *swi_tb_arena_text(struct swi_tb_arena *arena, const char *text);

void swi_tb_arena_fini(struct swi_tb_arena *arena);

/* The bytes of a text, borrowed. */
static inline ProtobufCBinaryData swi_tb_bytes(char *text)
{
    return (ProtobufCBinaryData){.len = strlen(text), .data = (uint8_t *)text};
}

/* A tensor without values; size has one number for each of rank dimensions. NULL if out of memory,
 * which the arena remembers. */
SwiTb__Tensor *swi_tb_tensor_new(struct swi_tb_arena *arena, int type, int rank,
                                 const int64_t *size);

/* A string of rank 0. The bytes are borrowed. */
SwiTb__Tensor *swi_tb_tensor_bytes(struct swi_tb_arena *arena, ProtobufCBinaryData bytes);

/* No value: a tensor of no elements, for tags that are metadata only. */
SwiTb__Tensor *swi_tb_tensor_none(struct swi_tb_arena *arena);

/* Writes an event of one value. content: of the plugin's metadata. Fails where the arena did. */
int swi_tb_value_write(struct sw_tb *tb, struct swi_tb_tag *tag, int64_t step,
                       struct swi_tb_arena *arena, SwiTb__Tensor *tensor,
                       ProtobufCBinaryData content);

#endif
