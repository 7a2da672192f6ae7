/* SPDX-License-Identifier: MIT */
/* file_name_part.h - makes a text, such as the name of a host, usable as a part of a file name. */
#ifndef SINKS_COMMON_TRACE_FORMATS_FILE_NAME_PART_H
#define SINKS_COMMON_TRACE_FORMATS_FILE_NAME_PART_H

#include "core/text/characters.h"

#include <stdio.h>

enum { SWI_FILE_PART = 128 };

/* Copies a text without slashes and controls, and without a dot at its begin, so that it cannot
 * lead to another folder. An empty text becomes `fallback`. Returns buffer. */
static inline const char *swi_file_part(char buffer[SWI_FILE_PART], const char *text,
                                        const char *fallback)
{
    text = *text ? text : fallback;
    snprintf(buffer, SWI_FILE_PART, "%.*s", (int)swi_utf8_fit(text, 120), text);
    for (char *c = buffer; *c; c++)
        if (*c == '/' || (*c == '.' && c == buffer) || (unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '_';
    return buffer;
}

#endif
