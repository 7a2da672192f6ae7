/* SPDX-License-Identifier: MIT */
/* base64.h - bytes as text: RFC 4648. */
#ifndef CORE_TEXT_BASE64_H
#define CORE_TEXT_BASE64_H

#include "core/text/buffer.h"

void swi_base64_add(struct swi_text *text, const void *bytes, size_t size);

/* Decodes a text of this length. bytes has room for 3 bytes of each 4 characters. Returns how many
 * bytes it is, or SIZE_MAX if it is not base64. */
size_t swi_base64_read(void *bytes, const char *text, size_t length);

#endif
