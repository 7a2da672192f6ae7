/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "tools/watch/screen.h"

#ifdef HAVE_NCURSES
#include <curses.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* curses has macros of these names. */
#undef lines
#undef columns

static SCREEN *opened;

/* ---- Ctrl-Z ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop_wanted;

static void stop_note(int signal)
{
    (void)signal;
    stop_wanted = 1;
}

/* curses' own handler writes to the screen and allocates memory, which no handler may do. It is not
 * installed if there is another one before. */
static void stop_handle(bool own)
{
    struct sigaction action = {.sa_handler = own ? stop_note : SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTSTP, &action, NULL);
}

/* A shell without job control starts programs with the signal ignored. */
static void stop_handler_install(void)
{
    struct sigaction before;
    if (sigaction(SIGTSTP, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        stop_handle(true);
}

/* The terminal may have another size now: its signal went to the shell. */
static void size_follow(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        is_term_resized(size.ws_row, size.ws_col))
        resizeterm(size.ws_row, size.ws_col);
}

/* Gives the terminal back, and returns when the program is to go on. */
static void stop(void)
{
    stop_wanted = 0;
    endwin();
    stop_handle(false);
    raise(SIGTSTP);
    stop_handle(true);
    refresh();
    size_follow();
}

/* An empty NO_COLOR says nothing. */
static bool is_colourless(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return no_colour && *no_colour;
}

/* ---- the screen ------------------------------------------------------------------------------ */

/* newterm() and not initscr(), which ends the program where it fails. */
bool terminal_open(void)
{
    stop_handler_install();
    opened = newterm(NULL, stdout, stdin);
    if (!opened)
        return false;
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    if (has_colors() && !is_colourless()) {
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
    bool colours = has_colors() && COLOR_PAIRS > 1 && !is_colourless();
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
    if (stop_wanted) {
        stop();
        return KEY_RESIZED;
    }
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
#endif
