/* SPDX-License-Identifier: MIT */
#include "tests/support/golden.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>

json_t *golden_json(const char *path, ...)
{
    char below[256], whole[512];
    json_error_t error;
    va_list args;
    va_start(args, path);
    vsnprintf(below, sizeof below, path, args);
    va_end(args);
    snprintf(whole, sizeof whole, "%s/tests/golden/%s", SRCDIR, below);
    json_t *json = json_load_file(whole, 0, &error);
    ck_assert_msg(json != NULL, "%s: %s", whole, error.text);
    return json;
}
