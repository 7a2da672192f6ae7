/* SPDX-License-Identifier: MIT */
#include "tools/watch/screen_lines.h"

void screen_clear(struct screen *screen, size_t rows, size_t columns, bool utf8)
{
    for (size_t i = 0; i < SCREEN_LINES; i++)
        screen->line[i].text.size = 0;
    screen->rows = rows < SCREEN_LINES ? rows : SCREEN_LINES - 1;
    screen->columns = columns;
    screen->utf8 = utf8;
    screen->count = 0;
}

void screen_free(struct screen *screen)
{
    for (size_t i = 0; i < SCREEN_LINES; i++)
        swi_text_free(&screen->line[i].text);
}

struct swi_text *screen_add(struct screen *screen, enum screen_look look)
{
    size_t at = screen->count < screen->rows ? screen->count : screen->rows;
    screen->count = at + 1 < screen->rows ? at + 1 : screen->rows;
    struct screen_line *line = &screen->line[at];
    line->look = look;
    line->text.size = 0;
    swi_text_add(&line->text, "", 0);
    return &line->text;
}

bool screen_has_room(const struct screen *screen, size_t lines)
{
    return screen->count + lines <= screen->rows;
}

size_t screen_left(const struct screen *screen, const struct swi_text *text)
{
    size_t used = text->data ? swi_text_width(text->data) : 0;
    return used < screen->columns ? screen->columns - used : 0;
}

/* Blanks, so that what follows ends at the right edge. */
void screen_right_align(const struct screen *screen, struct swi_text *text, const char *rest)
{
    size_t left = screen_left(screen, text), width = swi_text_width(rest);
    swi_text_fill(text, ' ', left > width ? left - width : 1);
    swi_text_put(text, rest);
}
