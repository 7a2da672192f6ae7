/* SPDX-License-Identifier: MIT */
/* value.h - makes tensors, and writes a tag's value with its metadata where they are due. */
#ifndef TENSORBOARD_VALUE_H
#define TENSORBOARD_VALUE_H

#include "sinks/tensorboard/writer/arena.h"
#include "sinks/tensorboard/writer/writer.h"

#include <string.h>

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
