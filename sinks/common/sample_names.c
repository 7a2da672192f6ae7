/* SPDX-License-Identifier: MIT */
#include "sinks/common/sample_names.h"

#include <stdio.h>
#include <string.h>

bool swi_sample_name(char *to, size_t size, const char *metric, const char *pattern,
                     const char *other)
{
    size_t before = strcspn(pattern, "*"), length = strlen(metric), part = 0;
    const char *rest = pattern + before;
    if (strncmp(metric, pattern, before) != 0)
        return false;
    if (*rest) {
        size_t after = strlen(++rest);
        if (length <= before + after)
            return false;
        part = length - before - after;
    }
    bool path = strncmp(pattern, "system/", 7) == 0;
    if (strcmp(metric + before + part, rest) != 0 || (!path && memchr(metric + before, '/', part)))
        return false;
    int head = (int)strcspn(other, "*");
    snprintf(to, size, "%.*s%.*s%s", head, other, (int)part, metric + before,
             other[head] ? other + head + 1 : "");
    return true;
}
