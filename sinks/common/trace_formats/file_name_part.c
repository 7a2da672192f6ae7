/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/file_name_part.h"

#include <stdio.h>

const char *swi_file_part(char buffer[SWI_FILE_PART], const char *text, const char *fallback)
{
    snprintf(buffer, SWI_FILE_PART, "%.120s", *text ? text : fallback);
    for (char *c = buffer; *c; c++)
        if (*c == '/' || (*c == '.' && c == buffer))
            *c = '_';
    return buffer;
}
