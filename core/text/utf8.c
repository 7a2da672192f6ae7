/* SPDX-License-Identifier: MIT */
#include "core/text/utf8.h"

bool swi_utf8_is_valid(const char *text, size_t size)
{
    uint32_t code;
    for (size_t length; size > 0; text += length, size -= length) {
        length = swi_utf8_next(text, size, &code);
        if (length == 0)
            return false;
    }
    return true;
}
