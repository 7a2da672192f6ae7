/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/push/push_path.h"

#include <string.h>

static void escape(struct swi_text *path, const char *value)
{
    for (; *value; value++) {
        char c = *value, small = (char)(c | 0x20);
        if ((c >= '0' && c <= '9') || (small >= 'a' && small <= 'z') || strchr("-._~", c))
            swi_text_add(path, value, 1);
        else
            swi_text_format(path, "%%%02X", (unsigned char)c);
    }
}

/* The alphabet for addresses, without padding. */
static void base64(struct swi_text *path, const char *value)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const unsigned char *byte = (const unsigned char *)value;
    for (size_t size = strlen(value); size; byte += 3) {
        uint32_t three = (uint32_t)byte[0] << 16 | (size > 1 ? (uint32_t)byte[1] << 8 : 0) |
                         (size > 2 ? byte[2] : 0);
        for (size_t k = 0; k < (size > 2 ? 4 : size + 1); k++)
            swi_text_add(path, &digits[three >> (18 - 6 * k) & 63], 1);
        size -= size > 3 ? 3 : size;
    }
}

void swi_push_label(struct swi_text *path, const char *name, const char *value)
{
    bool coded = !*value || strchr(value, '/');
    swi_text_format(path, "/%s%s/", name, coded ? "@base64" : "");
    if (!*value)
        swi_text_put(path, "=");
    else if (coded)
        base64(path, value);
    else
        escape(path, value);
}
