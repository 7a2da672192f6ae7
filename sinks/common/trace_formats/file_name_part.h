/* SPDX-License-Identifier: MIT */
/* file_name_part.h - makes a text, such as the name of a host, usable as a part of a file name. */
#ifndef SINKS_COMMON_TRACE_FORMATS_FILE_NAME_PART_H
#define SINKS_COMMON_TRACE_FORMATS_FILE_NAME_PART_H

#include <stdio.h>

enum { SWI_FILE_PART = 128 };

/* Copies a text without slashes and without a dot at its begin, so that it cannot lead to another
 * folder. An empty text becomes `fallback`. Returns buffer. */
static inline const char *swi_file_part(char buffer[SWI_FILE_PART], const char *text,
                                        const char *fallback)
{
    snprintf(buffer, SWI_FILE_PART, "%.120s", *text ? text : fallback);
    for (char *c = buffer; *c; c++)
        if (*c == '/' || (*c == '.' && c == buffer))
            *c = '_';
    return buffer;
}

#endif
