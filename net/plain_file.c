/* SPDX-License-Identifier: MIT */
#include "net/plain_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *swi_plain_file_open(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    FILE *file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file)
        close(fd);
    return file;
}

/* Opens the next part of a path, without blocking at a FIFO. */
static int part_open(int folder, const char *name, bool last)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (last ? O_NONBLOCK : O_DIRECTORY);
    int fd = !*name || strcmp(name, "..") == 0 ? -1 : openat(folder, name, flags);
    close(folder);
    return fd;
}

int swi_plain_file_below(const char *folder, const char *below, const char *path,
                         struct stat *status)
{
    char *copied = strdup(path), *rest = copied;
    int fd = copied ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0 && *below)
        fd = part_open(fd, below, false);
    for (const char *name; fd >= 0 && (name = strsep(&rest, "/"));)
        fd = part_open(fd, name, !rest);
    free(copied);
    if (fd >= 0 && (fstat(fd, status) < 0 || !S_ISREG(status->st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

char *swi_plain_file_trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}
