/* SPDX-License-Identifier: MIT */
#include "tools/output/stderr.h"

#include "core/text/address_user.h"
#include "tools/output/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints the lines of a text that end with this character. Newlines in them are foreign. */
static void lines_print(const char *command, char *text, const char *ending)
{
    char *line;
    if (command)
        fprintf(stderr, "stepwatch %s: ", command);
    swi_address_clean(text);
    while ((line = strsep(&text, ending))) {
        text_shown(stderr, line, 0);
        fputc('\n', stderr);
    }
}

/* Returns a control character that is not in a text. */
static char unused_in(const char *text)
{
    char character = 1;
    while (character < ' ' - 1 && strchr(text, character))
        character++;
    return character;
}

/* The newlines of the format end lines, those of the arguments do not: they get another character
 * first. */
void vsay(const char *command, const char *format, va_list args)
{
    char *text = NULL, *marked = strdup(format);
    char ending[2] = "";
    va_list again;
    va_copy(again, args);
    if (marked && vasprintf(&text, format, args) >= 0) {
        *ending = unused_in(text);
        for (char *at = marked; (at = strchr(at, '\n'));)
            *at = *ending;
        free(text);
    }
    if (*ending && vasprintf(&text, marked, again) >= 0) {
        lines_print(command, text, ending);
        free(text);
    }
    va_end(again);
    free(marked);
}

void say(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsay(command, format, args);
    va_end(args);
}

void say_error(const char *command, const struct sw_error *err)
{
    bool lines = err->code == SW_ECONFIG || err->code == SW_ESINK || err->code == SW_ETIME;
    char *text = lines ? strdup(sw_error_text(err)) : NULL;
    if (text)
        lines_print(command, text, "\n");
    else
        say(command, "%s", sw_error_text(err));
    free(text);
}

bool stdout_is_read(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR);
}

/* ---- standard output, set aside -------------------------------------------------------------- */

static int saved_stdout = -1;

bool stdout_aside(const char *command, bool on)
{
    if (!on)
        return true;
    fflush(stdout);
    saved_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (saved_stdout >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return true;
    say(command, "--json: standard output: %s", strerror(errno));
    return false;
}

void stdout_back(void)
{
    if (saved_stdout < 0)
        return;
    fflush(stdout);
    dup2(saved_stdout, STDOUT_FILENO);
    close(saved_stdout);
    saved_stdout = -1;
}
