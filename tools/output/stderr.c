/* SPDX-License-Identifier: MIT */
#include "tools/output/stderr.h"

#include "core/text/address_user.h"
#include "tools/output/text.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void vsay(const char *command, const char *format, va_list args)
{
    char *text = NULL, *rest, *line;
    if (vasprintf(&text, format, args) < 0)
        return;
    if (command)
        fprintf(stderr, "stepwatch %s: ", command);
    swi_address_clean(text);
    rest = text;
    while ((line = strsep(&rest, "\n"))) {
        text_shown(stderr, line, 0);
        fputc('\n', stderr);
    }
    free(text);
}

void say(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsay(command, format, args);
    va_end(args);
}

bool stdout_is_read(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR);
}
