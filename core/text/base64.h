/* SPDX-License-Identifier: MIT */
/* base64.h - bytes as text: RFC 4648. */
#ifndef CORE_TEXT_BASE64_H
#define CORE_TEXT_BASE64_H

#include "core/text/buffer.h"

enum swi_base64 {
    SWI_BASE64,        /* with + and /, filled up with = */
    SWI_BASE64_ADDRESS /* with - and _, and not filled up: RFC 4648, section 5 */
};

void swi_base64_add(struct swi_text *text, const void *bytes, size_t size, enum swi_base64 as);

/* Writes the same to memory that has room for 4 characters for each 3 bytes, and a NUL. */
char *swi_base64_put(char *to, const void *bytes, size_t size, enum swi_base64 as);

/* Decodes a text of this length. bytes has room for 3 bytes of each 4 characters. Returns how many
 * bytes it is, or SIZE_MAX if it is not base64. */
size_t swi_base64_read(void *bytes, const char *text, size_t length);

#endif
