/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/file_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *function_file_name(const char *name)
{
    char *file = strdup(name), *to = file;
    for (const char *from = name; file && *from; from++) {
        bool unfit = strchr("\\/:*?\"<>|\n\r\t", *from) || (unsigned char)*from < 32;
        if (!unfit)
            *to++ = *from;
        else if (to == file || to[-1] != '_')
            *to++ = '_';
    }
    if (!file)
        return NULL;
    *to = '\0';
    if (!*file || strcmp(file, ".") == 0 || strcmp(file, "..") == 0 || strcmp(file, "whole") == 0) {
        char *other = NULL;
        int size = asprintf(&other, "_%s", file);
        free(file);
        file = size < 0 ? NULL : other;
    }
    return file;
}
