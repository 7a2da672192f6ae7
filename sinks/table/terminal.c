/* SPDX-License-Identifier: MIT */
#include "sinks/table/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

bool swi_terminal_is(int fd)
{
    return isatty(fd) == 1;
}

/* /dev/tty has its own device number, but a session has only one terminal. */
bool swi_terminal_same(int a, int b)
{
    struct stat st_a, st_b;
    if (!swi_terminal_is(a) || !swi_terminal_is(b) || fstat(a, &st_a) != 0 || fstat(b, &st_b) != 0)
        return false;
    pid_t session = tcgetsid(a);
    return st_a.st_rdev == st_b.st_rdev || (session >= 0 && session == tcgetsid(b));
}

bool swi_terminal_moves(struct sw_sink *sink, int fd)
{
    const char *term = sw_sink_getenv(sink, "TERM");
    return swi_terminal_is(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool swi_terminal_colours(struct sw_sink *sink, int fd)
{
    const char *no = sw_sink_getenv(sink, "NO_COLOR"),
               *force = sw_sink_getenv(sink, "CLICOLOR_FORCE");
    if (no && *no)
        return false;
    return (force && *force && strcmp(force, "0") != 0) || swi_terminal_moves(sink, fd);
}

/* From the environment, not from the program's locale, because most C programs never call
 * setlocale(). */
bool swi_terminal_utf8(struct sw_sink *sink)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = sw_sink_getenv(sink, names[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

size_t swi_terminal_columns(struct sw_sink *sink)
{
    const char *told = sw_sink_getenv(sink, "COLUMNS");
    char *end = NULL;
    unsigned long columns = told && *told >= '1' && *told <= '9' ? strtoul(told, &end, 10) : 0;
    return end && !*end && columns <= 10000 ? columns : 0;
}

size_t swi_terminal_width(struct sw_sink *sink, int fd)
{
    struct winsize size = {0};
    size_t told = swi_terminal_columns(sink);
    if (told)
        return told;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}
