/* SPDX-License-Identifier: MIT */
#include "tools/runs/log_lock.h"

#include "core/text/numbered_name.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int lock_open(const char *path, int64_t *byte)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *locked = swi_lock_name(name, byte), *file = NULL;
    int fd = -1;
    if (locked && asprintf(&file, "%.*s%s", (int)(name - path), path, locked) >= 0)
        fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    free(locked);
    free(file);
    return fd;
}

bool log_is_locked(const char *path)
{
    int64_t byte = 0;
    int fd = lock_open(path, &byte);
    if (fd < 0)
        return false;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    bool held = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(fd);
    return held;
}
