/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/push_path.h"
#include "core/text/base64.h"

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

void swi_push_label(struct swi_text *path, const char *name, const char *value)
{
    bool coded = !*value || strchr(value, '/');
    swi_text_format(path, "/%s%s/", name, coded ? "@base64" : "");
    if (!*value)
        swi_text_put(path, "=");
    else if (coded)
        swi_base64_add(path, value, strlen(value), SWI_BASE64_ADDRESS);
    else
        escape(path, value);
}
