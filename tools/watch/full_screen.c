/* SPDX-License-Identifier: MIT */
#include "tools/watch/full_screen.h"

#include "config.h"

#ifdef HAVE_NCURSES
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* curses has macros of these names. */
#undef lines
#undef columns

static SCREEN *opened;

bool terminal_is_built(void)
{
    return true;
}

/* newterm() and not initscr(), which ends the program where it fails. */
bool terminal_open(void)
{
    const char *no_colour = getenv("NO_COLOR");
    opened = newterm(NULL, stdout, stdin);
    if (!opened)
        return false;
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    if (has_colors() && !(no_colour && *no_colour)) {
        start_color();
        use_default_colors();
        init_pair(1, COLOR_CYAN, -1);
    }
    return true;
}

void terminal_close(void)
{
    if (!opened)
        return;
    endwin();
    delscreen(opened);
    opened = NULL;
}

void terminal_size(size_t *rows, size_t *columns)
{
    int height, width;
    getmaxyx(stdscr, height, width);
    *rows = height > 0 ? (size_t)height : 1;
    *columns = width > 0 ? (size_t)width : 1;
}

static attr_t look_of(enum screen_look look)
{
    bool colours = has_colors() && COLOR_PAIRS > 1 && !getenv("NO_COLOR");
    return look == SCREEN_BOLD      ? A_BOLD | (colours ? COLOR_PAIR(1) : A_NORMAL)
           : look == SCREEN_DIM     ? A_DIM
           : look == SCREEN_REVERSE ? A_REVERSE
                                    : A_NORMAL;
}

/* The last cell of the last row is left out: writing it scrolls some terminals. */
void terminal_show(const struct screen *screen)
{
    erase();
    for (size_t i = 0; i < screen->count; i++) {
        const struct screen_line *line = &screen->line[i];
        attrset(look_of(line->look));
        if (line->text.data)
            mvaddstr((int)i, 0, line->text.data);
    }
    attrset(A_NORMAL);
    refresh();
}

int terminal_key(int timeout_ms)
{
    timeout(timeout_ms);
    int key = getch();
    switch (key) {
    case ERR:
        return KEY_NOTHING;
    case KEY_LEFT:
        return KEY_TO_LEFT;
    case KEY_RIGHT:
        return KEY_TO_RIGHT;
    case KEY_UP:
        return KEY_TO_UP;
    case KEY_DOWN:
        return KEY_TO_DOWN;
    case KEY_RESIZE:
        return KEY_RESIZED;
    case KEY_ENTER:
        return '\n';
    default:
        return key == '\r' ? '\n' : key < 256 ? key : KEY_NOTHING;
    }
}
#else
bool terminal_is_built(void)
{
    return false;
}

bool terminal_open(void)
{
    return false;
}

void terminal_close(void)
{
}

void terminal_size(size_t *rows, size_t *columns)
{
    *rows = 24;
    *columns = 80;
}

void terminal_show(const struct screen *screen)
{
    (void)screen;
}

int terminal_key(int timeout_ms)
{
    (void)timeout_ms;
    return 'q';
}
#endif
