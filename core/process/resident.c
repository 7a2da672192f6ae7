/* SPDX-License-Identifier: MIT */
#include "core/process/resident.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Takes a line such as "VmRSS:	  1234 kB". */
static void line_take(struct swi_resident *resident, const char *line)
{
    if (strncmp(line, "VmRSS:", 6) == 0)
        resident->now = 1024 * strtoll(line + 6, NULL, 10);
    else if (strncmp(line, "VmHWM:", 6) == 0)
        resident->peak = 1024 * strtoll(line + 6, NULL, 10);
}

/* Takes the whole lines of a text, and moves the rest to its start. Returns how long that is. */
static size_t lines_take(struct swi_resident *resident, char *text, size_t size)
{
    char *line = text;
    for (char *end; (end = memchr(line, '\n', size - (size_t)(line - text)));) {
        *end = '\0';
        line_take(resident, line);
        line = end + 1;
    }
    size -= (size_t)(line - text);
    memmove(text, line, size);
    return size;
}

/* Reads all of the file in a small room, for it may be read when little is left: the line of a user
 * in a thousand groups is longer than that, and comes first. */
static void status_read(struct swi_resident *resident)
{
    char text[1024];
    size_t used = 0;
    ssize_t size = 0;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    while ((size = read(fd, text + used, sizeof text - used)) > 0 || (size < 0 && errno == EINTR)) {
        used = lines_take(resident, text, used + (size > 0 ? (size_t)size : 0));
        if (used == sizeof text)
            used = 0;
    }
    close(fd);
}

struct swi_resident swi_resident(void)
{
    struct swi_resident resident = {0};
    int error = errno;
    status_read(&resident);
    errno = error;
    return resident;
}
