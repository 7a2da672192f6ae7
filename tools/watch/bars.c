/* SPDX-License-Identifier: MIT */
#include "tools/watch/bars.h"

#include "core/text/printable.h"

#include <math.h>

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
