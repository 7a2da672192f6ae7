/* SPDX-License-Identifier: MIT */
#include "tools/output/stdout_aside.h"

#include "tools/output/stderr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int kept = -1;

bool stdout_aside(const char *command, bool on)
{
    if (!on)
        return true;
    fflush(stdout);
    kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (kept >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return true;
    say(command, "--json: standard output: %s", strerror(errno));
    return false;
}

void stdout_back(void)
{
    if (kept < 0)
        return;
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    kept = -1;
}
