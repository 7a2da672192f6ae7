/* SPDX-License-Identifier: MIT */
/* protobuf_text.h - adds fields of a protobuf message to a text, which grows. */
#ifndef SINKS_COMMON_TRACE_FORMATS_PROTOBUF_TEXT_H
#define SINKS_COMMON_TRACE_FORMATS_PROTOBUF_TEXT_H

#include "core/text/buffer.h"
#include "sinks/common/trace_formats/protobuf.h"

void swi_pb_add_message(struct swi_text *to, unsigned field, const struct swi_text *message);
void swi_pb_add_text(struct swi_text *to, unsigned field, const char *text, size_t size);
void swi_pb_add_number(struct swi_text *to, unsigned field, uint64_t value);

#endif
