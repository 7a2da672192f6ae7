/* SPDX-License-Identifier: MIT */
/* Checks paths before the run, because a file system would accept any of them, with another effect
 * than the user expects. */
#include "core/plugins/option_path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool begins_with_home(const char *path)
{
    return path[0] == '~' && (path[1] == '/' || path[1] == '\0');
}

/* Returns whether it looks like a URL: "s3://bucket/runs" would create a folder "s3:". */
static bool is_url(const char *path)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-";
    size_t scheme = strspn(path, letters);
    return scheme > 0 && strncmp(path + scheme, "://", 3) == 0;
}

char *swi_option_path_expand(const char *path)
{
    const char *home = secure_getenv("HOME");
    char *expanded;
    if (!begins_with_home(path) || !home || home[0] != '/')
        return strdup(path);
    return asprintf(&expanded, "%s%s", home, path + 1) < 0 ? NULL : expanded;
}

int swi_option_path_check(const char *path, struct sw_error *err)
{
    if (!*path)
        return sw_error_set(err, SW_EINVAL, "is not a path: expected the path of a file");
    if (is_url(path))
        return sw_error_set(err, SW_EINVAL,
                            "is a URL: expected a path in a file system of this machine");
    if (begins_with_home(path))
        return sw_error_set(err, SW_EINVAL,
                            "begins with ~, but HOME is not set to a folder: write the whole path");
    if (path[0] == '~')
        return sw_error_set(err, SW_EINVAL,
                            "begins with ~: only ~/ is expanded; write the whole path, or ./~ for "
                            "a name that begins with ~");
    return 0;
}

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
