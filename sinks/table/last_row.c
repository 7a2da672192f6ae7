/* SPDX-License-Identifier: MIT */
#include "sinks/table/last_row.h"

#include "sinks/table/terminal.h"

#include <string.h>
#include <sys/ioctl.h>

/* With fewer rows, the program needs all of them. */
enum { ROWS_LEAST = 10 };

static struct winsize size_of(int fd)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        size.ws_row = 0;
    return size;
}

bool swi_last_row_can(struct sw_sink *sink, int fd)
{
    const char *term = sw_sink_getenv(sink, "TERM");
    return swi_terminal_moves(sink, fd) && strcmp(term, "linux") != 0 &&
           size_of(fd).ws_row >= ROWS_LEAST;
}

/* The cursor may be on the last row: the text moves up by one first. Setting the region moves the
 * cursor, so its place is kept. */
static void take(struct swi_last_row *row, struct swi_text *text, const struct winsize *size)
{
    if (!row->rows)
        swi_text_put(text, "\033D\033[A");
    swi_text_format(text, "\0337\033[1;%dr\0338", size->ws_row - 1);
    row->rows = size->ws_row;
    row->columns = size->ws_col;
}

void swi_last_row_show(struct swi_last_row *row, int fd, struct swi_text *text, const char *line)
{
    struct winsize size = size_of(fd);
    if (size.ws_row < ROWS_LEAST) {
        swi_last_row_give_back(row, text);
        return;
    }
    if (row->rows != size.ws_row || row->columns != size.ws_col)
        take(row, text, &size);
    swi_text_format(text, "\0337\033[%d;1H\033[2K%s\0338", row->rows, line);
}

void swi_last_row_give_back(struct swi_last_row *row, struct swi_text *text)
{
    if (row->rows)
        swi_text_format(text, "\0337\033[r\033[%d;1H\033[2K\0338", row->rows);
    row->rows = 0;
}
