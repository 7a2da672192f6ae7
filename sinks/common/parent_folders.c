/* SPDX-License-Identifier: MIT */
#include "sinks/common/parent_folders.h"
#include "core/text/io_code.h"

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
            sw_error_set(err, swi_io_code(failed), "%s: cannot be created: %s", path,
                         strerror(failed));
        *at = '/';
        if (failed)
            return err->code;
    }
    return 0;
}
