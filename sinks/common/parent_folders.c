/* SPDX-License-Identifier: MIT */
#include "sinks/common/parent_folders.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int swi_parent_folders_make(char *path, struct sw_error *err)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        int failed = mkdir(path, 0777) < 0 && errno != EEXIST ? errno : 0;
        if (failed)
            sw_error_set(err, SW_EIO, "%s: cannot be created: %s", path, strerror(failed));
        *at = '/';
        if (failed)
            return SW_EIO;
    }
    return 0;
}
