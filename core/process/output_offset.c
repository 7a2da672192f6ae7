/* SPDX-License-Identifier: MIT */
#include "core/process/output_offset.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t swi_output_offset(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode))
        return -1;
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && flags & O_APPEND ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
}
