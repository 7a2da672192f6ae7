/* SPDX-License-Identifier: MIT */
#include "core/text/path_text.h"

#include "core/text/printable.h"

#include <stdbool.h>
#include <stdio.h>
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

char *swi_path_text_expand(const char *path, const char *home)
{
    char *expanded;
    if (!begins_with_home(path) || !home || home[0] != '/')
        return strdup(path);
    size_t size = strlen(home);
    while (size > (path[1] == '\0') && home[size - 1] == '/')
        size--;
    return asprintf(&expanded, "%.*s%s", (int)size, home, path + 1) < 0 ? NULL : expanded;
}

int swi_path_text_check(const char *path, struct sw_error *err)
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

char *swi_path_text_below(const char *folder, const char *path)
{
    char *whole = NULL;
    bool absolute = *path == '/';
    int n = asprintf(&whole, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", path);
    return n < 0 ? NULL : whole;
}

int swi_path_text_of(const char *variable, const char *value, const char *home, char *path,
                     size_t size, struct sw_error *err)
{
    char *expanded = swi_path_text_expand(value, home);
    if (!expanded)
        return sw_error_set(err, SW_ENOMEM, "%s: out of memory", variable);
    SW_ERROR_SCOPE(clause);
    int rc = swi_path_text_check(expanded, &clause);
    if (rc < 0)
        sw_error_set(err, rc, "%s: \"%s\" %s", variable, SWI_PRINTABLE(value),
                     sw_error_text(&clause));
    else if ((size_t)snprintf(path, size, "%s", expanded) >= size)
        rc = sw_error_set(err, SW_EINVAL, "%s: the path is too long: expected at most %zu bytes",
                          variable, size - 1);
    free(expanded);
    return rc;
}
