/* SPDX-License-Identifier: MIT */
#include "tests/support/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int program_side(int user, int columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    const char *path = grantpt(user) == 0 && unlockpt(user) == 0 ? ptsname(user) : NULL;
    int side = path ? open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    if (side >= 0 && ioctl(side, TIOCSWINSZ, &size) == 0)
        return side;
    if (side >= 0)
        close(side);
    return -1;
}

/* A container without /dev/pts, say, has none. */
bool terminal_new(struct terminal *terminal, int columns)
{
    terminal->user = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    terminal->program = terminal->user < 0 ? -1 : program_side(terminal->user, columns);
    if (terminal->program >= 0)
        return true;
    printf("SKIP: tests of a terminal: none can be had here (%s)\n", strerror(errno));
    if (terminal->user >= 0)
        close(terminal->user);
    return false;
}
