/* SPDX-License-Identifier: MIT */
/* Checks paths before the run, because a file system would accept any of them, with another effect
 * than the user expects. */
#include "core/plugins/option_path.h"

#include <stdbool.h>
#include <string.h>

int swi_option_name_check(const char *name, struct sw_error *err)
{
    if (strchr(name, '/'))
        return sw_error_set(err, SW_EINVAL,
                            "contains a /: expected part of a file name, not a path");
    return 0;
}

/* Returns whether a component is empty, "." or "..". */
static bool strays(const char *component, size_t length)
{
    return length == 0 || (length == 1 && component[0] == '.') ||
           (length == 2 && component[0] == '.' && component[1] == '.');
}

int swi_option_subpath_check(const char *path, struct sw_error *err)
{
    if (!*path)
        return 0;
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, "/");
        if (strays(at, length))
            return sw_error_set(
                err, SW_EINVAL,
                "leads out of the folder: expected names joined by /, none of them empty, . or ..");
        at += length;
        if (!*at)
            return 0;
    }
}
