/* SPDX-License-Identifier: MIT */
#include "core/process/resident.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the value of a line such as "VmRSS:	  1234 kB" in bytes, or 0 if the line is missing. */
static int64_t bytes_of(const char *status, const char *name)
{
    const char *line = strstr(status, name);
    return line ? 1024 * strtoll(line + strlen(name), NULL, 10) : 0;
}

/* Sets the text to what the file has. The two lines are in its first 1.5 kB. */
static void status_read(char *text, size_t room)
{
    ssize_t size = 0;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    do
        size = read(fd, text, room - 1);
    while (size < 0 && errno == EINTR);
    text[size > 0 ? size : 0] = '\0';
    close(fd);
}

struct swi_resident swi_resident(void)
{
    char status[4096] = "";
    int error = errno;
    status_read(status, sizeof status);
    errno = error;
    return (struct swi_resident){bytes_of(status, "\nVmRSS:"), bytes_of(status, "\nVmHWM:")};
}
