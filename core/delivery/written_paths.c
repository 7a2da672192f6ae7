/* SPDX-License-Identifier: MIT */
#include "core/delivery/written_paths.h"
#include "core/files/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens the file of the program that asked for the paths. It must exist, and lines are only
 * appended. */
static int places_open(const struct swi_environment *environment)
{
    const char *path = swi_environment_get_secure(environment, "STEPWATCH_PLACES");
    if (!path || *path != '/')
        return -1;
    return open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

void swi_written_path_note(const struct swi_environment *environment, const char *sink,
                           const char *path)
{
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s\t%s\n", sink, path);
    /* Each line is one path. */
    if (length < 0 || (size_t)length >= sizeof line || strchr(path, '\n'))
        return;
    int fd = places_open(environment);
    if (fd < 0)
        return;
    /* A path that cannot be reported is not worth a message. */
    (void)swi_fd_write(fd, line, (size_t)length);
    close(fd);
}
