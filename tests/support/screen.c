/* SPDX-License-Identifier: MIT */
#include "tests/support/screen.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 256, ROWS = 128, PARAMETERS = 4 };

/* A cell is one character of UTF-8; a row is its text, made when it is asked for. */
struct row {
    uint32_t cell[COLUMNS];
};

struct screen {
    int columns, rows;
    int x, y, saved_x, saved_y;
    int top, bottom; /* of what scrolls */
    struct row row[ROWS];
    struct row *gone; /* scrolled away */
    size_t gone_count;
    char *text; /* of the row that was asked for last */

    /* The sequence that is being read. */
    enum { TEXT, ESCAPE, CSI, OSC } state;
    int parameter[PARAMETERS], parameters;
    bool private;
    uint32_t code;
    int follow; /* bytes of a character that are still to come */
};

struct screen *screen_new(int columns, int rows)
{
    struct screen *screen = calloc(1, sizeof *screen);
    ck_assert_ptr_nonnull(screen);
    screen_resize(screen, columns, rows);
    screen->text = calloc(4, COLUMNS + 1);
    ck_assert_ptr_nonnull(screen->text);
    return screen;
}

void screen_free(struct screen *screen)
{
    free(screen->gone);
    free(screen->text);
    free(screen);
}

static int within(int value, int most)
{
    return value < 0 ? 0 : value < most ? value : most - 1;
}

void screen_resize(struct screen *screen, int columns, int rows)
{
    ck_assert(columns < COLUMNS && rows < ROWS);
    screen->columns = columns;
    screen->rows = rows;
    screen->top = 0;
    screen->bottom = rows - 1;
    screen->x = within(screen->x, columns);
    screen->y = within(screen->y, rows);
}

/* ---- what is written ------------------------------------------------------------------------- */

static void scroll(struct screen *screen)
{
    if (screen->top == 0) {
        screen->gone = realloc(screen->gone, (screen->gone_count + 1) * sizeof *screen->gone);
        ck_assert_ptr_nonnull(screen->gone);
        screen->gone[screen->gone_count++] = screen->row[0];
    }
    for (int y = screen->top; y < screen->bottom; y++)
        screen->row[y] = screen->row[y + 1];
    screen->row[screen->bottom] = (struct row){{0}};
}

static void down(struct screen *screen)
{
    if (screen->y == screen->bottom)
        scroll(screen);
    else if (screen->y < screen->rows - 1)
        screen->y++;
}

static void put(struct screen *screen, uint32_t code)
{
    if (screen->x == screen->columns) {
        screen->x = 0;
        down(screen);
    }
    screen->row[screen->y].cell[screen->x++] = code;
}

static int parameter(const struct screen *screen, int i, int fallback)
{
    return i < screen->parameters && screen->parameter[i] ? screen->parameter[i] : fallback;
}

static void erase(struct screen *screen, int from, int to, int y)
{
    for (int x = from; x < to; x++)
        screen->row[y].cell[x] = 0;
}

static void erase_line(struct screen *screen)
{
    bool whole = parameter(screen, 0, 0) == 2;
    erase(screen, whole ? 0 : screen->x, screen->columns, screen->y);
}

static void erase_below(struct screen *screen)
{
    bool whole = parameter(screen, 0, 0) == 2;
    erase(screen, whole ? 0 : screen->x, screen->columns, screen->y);
    for (int y = whole ? 0 : screen->y + 1; y < screen->rows; y++)
        erase(screen, 0, screen->columns, y);
}

static void control(struct screen *screen, char last)
{
    switch (screen->private ? 0 : last) {
    case 'K':
        erase_line(screen);
        break;
    case 'J':
        erase_below(screen);
        break;
    case 'A':
        screen->y = within(screen->y - parameter(screen, 0, 1), screen->rows);
        break;
    case 'H':
        screen->y = within(parameter(screen, 0, 1) - 1, screen->rows);
        screen->x = within(parameter(screen, 1, 1) - 1, screen->columns);
        break;
    case 'r':
        screen->top = parameter(screen, 0, 1) - 1;
        screen->bottom = within(parameter(screen, 1, screen->rows) - 1, screen->rows);
        screen->x = screen->y = 0;
        break;
    default: /* colours, titles, modes: nobody sees where the text is */
        break;
    }
}

static void escape(struct screen *screen, char c)
{
    screen->state = c == '[' ? CSI : c == ']' ? OSC : TEXT;
    screen->parameters = 0;
    screen->private = false;
    memset(screen->parameter, 0, sizeof screen->parameter);
    if (c == '7') {
        screen->saved_x = screen->x;
        screen->saved_y = screen->y;
    } else if (c == '8') {
        screen->x = screen->saved_x;
        screen->y = screen->saved_y;
    } else if (c == 'D') {
        down(screen);
    }
}

static void csi(struct screen *screen, char c)
{
    if (c >= '0' && c <= '9') {
        screen->parameters += screen->parameters == 0;
        int *value = &screen->parameter[screen->parameters - 1];
        *value = 10 * *value + (c - '0');
    } else if (c == ';') {
        screen->parameters += 1 + (screen->parameters == 0);
        ck_assert_int_le(screen->parameters, PARAMETERS);
    } else if (c == '?') {
        screen->private = true;
    } else {
        screen->state = TEXT;
        control(screen, c);
    }
}

static void character(struct screen *screen, unsigned char c)
{
    if (screen->follow) {
        screen->code = screen->code << 6 | (c & 0x3f);
        if (--screen->follow == 0)
            put(screen, screen->code);
    } else if (c >= 0xc0) {
        screen->follow = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        screen->code = c & (0x3fu >> screen->follow);
    } else if (c == '\r') {
        screen->x = 0;
    } else if (c == '\n') {
        down(screen);
    } else if (c >= ' ') {
        put(screen, c);
    }
}

void screen_play(struct screen *screen, const char *bytes, size_t size)
{
    for (; size > 0; size--, bytes++) {
        if (screen->state == OSC)
            screen->state = *bytes == '\a' ? TEXT : OSC;
        else if (screen->state == ESCAPE)
            escape(screen, *bytes);
        else if (screen->state == CSI)
            csi(screen, *bytes);
        else if (*bytes == '\033')
            screen->state = ESCAPE;
        else
            character(screen, (unsigned char)*bytes);
    }
}

/* ---- what is seen ---------------------------------------------------------------------------- */

size_t screen_rows(const struct screen *screen)
{
    return screen->gone_count + (size_t)screen->rows;
}

static char *encode(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)(code ? code : ' ');
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

const char *screen_row(const struct screen *screen, size_t i)
{
    const struct row *row =
        i < screen->gone_count ? &screen->gone[i] : &screen->row[i - screen->gone_count];
    char *to = screen->text;
    int length = screen->columns;
    while (length > 0 && (row->cell[length - 1] == 0 || row->cell[length - 1] == ' '))
        length--;
    for (int x = 0; x < length; x++)
        to = encode(to, row->cell[x]);
    *to = '\0';
    return screen->text;
}

bool screen_has(const struct screen *screen, const char *text)
{
    for (size_t i = 0; i < screen_rows(screen); i++)
        if (strcmp(screen_row(screen, i), text) == 0)
            return true;
    return false;
}
