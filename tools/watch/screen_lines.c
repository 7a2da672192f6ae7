/* SPDX-License-Identifier: MIT */
#include "tools/watch/screen.h"

#include "core/text/number.h"
#include "core/text/printable.h"

#include <math.h>

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

/* ---- bars ------------------------------------------------------------------------------------ */

enum { LEVELS = 8 };

void bar_curve(struct swi_text *text, const struct series *series, size_t width, bool utf8)
{
    static const char *const blocks[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const signs[LEVELS] = {".", ":", "-", "=", "+", "*", "#", "#"};
    double value[SERIES_POINTS], low = INFINITY, high = -INFINITY;
    size_t count = series_points(series, value, width < SERIES_POINTS ? width : SERIES_POINTS);
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    for (size_t i = 0; i < count; i++) {
        /* The highest block is as high as the line: the one below it is the largest here. */
        int level = high > low ? (int)((value[i] - low) / (high - low) * 6.999) : 3;
        swi_text_put(text, utf8 ? blocks[level] : signs[level]);
    }
}

void bar_share(struct swi_text *text, double share, size_t width, bool utf8)
{
    static const char *const parts[LEVELS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    double length = fmin(fmax(share, 0), 1) * (double)width;
    size_t whole = (size_t)length, eighths = (size_t)((length - (double)whole) * LEVELS);
    for (size_t i = 0; i < whole; i++)
        swi_text_put(text, utf8 ? "█" : "#");
    if (utf8 && whole < width)
        swi_text_put(text, parts[eighths]);
}

void bar_part(struct swi_text *text, const char *name, size_t width, bool utf8)
{
    if (width == 0)
        return;
    swi_text_put(text, utf8 ? "▏" : "|");
    size_t shown = swi_text_width(name) < width - 1 ? swi_text_width(name) : width - 1;
    bar_name(text, name, shown, utf8, false);
    for (size_t i = 1 + shown; i < width; i++)
        swi_text_put(text, utf8 ? "█" : "#");
}

void bar_name(struct swi_text *text, const char *name, size_t width, bool utf8, bool padded)
{
    size_t used = swi_printable_name(text, name, width, utf8);
    if (padded)
        swi_text_fill(text, ' ', width - used);
}

/* ---- how far it is --------------------------------------------------------------------------- */

void watched_progress_text(struct swi_text *text, const struct watched *run)
{
    swi_number_clock(text, (double)run->t_ns * 1e-9);
    if (run->epoch > 0)
        swi_text_format(text, "  epoch %lld", (long long)run->epoch);
    swi_text_put(text, run->expected > 0 ? "  " : "  step ");
    swi_number_count(text, run->step);
    if (run->expected > 0) {
        swi_text_put(text, "/");
        swi_number_count(text, run->expected);
        swi_text_format(text, "  %.0f %%", 100.0 * (double)run->step / (double)run->expected);
    }
}

void watched_eta_text(struct swi_text *text, const struct watched *run)
{
    double eta = run->finished ? -1 : watched_eta(run);
    if (eta < 0)
        return;
    swi_text_put(text, "eta ");
    swi_number_clock(text, eta);
}
