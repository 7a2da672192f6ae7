/* SPDX-License-Identifier: MIT */
#include "core/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_MAX = 400 }; /* %.0f of the largest double has 309 */

/* Replaces the decimal point. printf() uses that of the program's locale, which may have several
 * bytes, so everything that is not part of a number becomes one point. */
static void point_set(char *number)
{
    char *to = number;
    for (const char *from = number; *from; from++) {
        if (strchr("+-0123456789eEinfaINFA", *from))
            *to++ = *from;
        else if (to == number || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
}

/* ---- times ----------------------------------------------------------------------------------- */

static const struct {
    int exponent;
    double scale;
    const char *prefix;
} prefixes[] = {
    {-24, 1e-24, "y"}, {-21, 1e-21, "z"}, {-18, 1e-18, "a"}, {-15, 1e-15, "f"}, {-12, 1e-12, "p"},
    {-9, 1e-9, "n"},   {-6, 1e-6, "µ"},   {-3, 1e-3, "m"},   {0, 1, " "},       {3, 1e3, "k"},
    {6, 1e6, "M"},     {9, 1e9, "G"},     {12, 1e12, "T"},
};

/* Returns the prefix with the largest scale that is not above the value, or else the first or last
 * one. */
static size_t prefix_of(double value)
{
    int exponent = 3 * (int)floor(log10(fabs(value)) / 3);
    size_t last = sizeof prefixes / sizeof *prefixes - 1;
    for (size_t i = 0; i < last; i++)
        if (exponent <= prefixes[i].exponent)
            return i;
    return last;
}

void swi_number_time(struct swi_text *text, double seconds)
{
    char number[DIGITS_MAX];
    if (seconds == 0 || !isfinite(seconds)) {
        swi_text_put(text, "-");
        return;
    }
    size_t i = prefix_of(seconds);
    snprintf(number, sizeof number, "%#.4G", seconds / prefixes[i].scale);
    point_set(number);
    swi_text_format(text, "%s%ss", number, prefixes[i].prefix);
}

/* ---- rounded numbers ------------------------------------------------------------------------- */

void swi_number_fixed(struct swi_text *text, double value, int digits)
{
    char number[DIGITS_MAX];
    snprintf(number, sizeof number, "%.*f", digits, value);
    point_set(number);
    swi_text_put(text, number);
}

void swi_number_percent(struct swi_text *text, double share)
{
    swi_number_fixed(text, 100 * share, 0);
    swi_text_put(text, "%");
}

/* Adds the digits of an integer in groups of three. */
static void grouped_put(struct swi_text *text, const char *digits)
{
    size_t left = strlen(digits);
    for (; left; left--, digits++) {
        swi_text_add(text, digits, 1);
        if (left > 1 && left % 3 == 1)
            swi_text_put(text, ",");
    }
}

void swi_number_rate(struct swi_text *text, double per_second)
{
    char number[DIGITS_MAX];
    if (!isfinite(per_second)) {
        swi_text_put(text, isnan(per_second) ? "-" : per_second < 0 ? "-inf" : "inf");
        return;
    }
    snprintf(number, sizeof number, "%.0f", fabs(per_second));
    if (per_second < 0 && strcmp(number, "0") != 0)
        swi_text_put(text, "-");
    grouped_put(text, number);
}

void swi_number_overall(struct swi_text *text, double per_second)
{
    if (per_second < 10)
        swi_number_fixed(text, per_second, 2);
    else
        swi_number_rate(text, per_second);
}

void swi_number_joules(struct swi_text *text, double joules)
{
    int digits = 2;
    for (double least = 1; digits < 12 && joules < least; least /= 10)
        digits++;
    if (joules < 10)
        swi_number_fixed(text, joules, digits);
    else
        swi_number_rate(text, joules);
}

void swi_number_count(struct swi_text *text, int64_t count)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, count);
    if (*number == '-')
        swi_text_put(text, "-");
    grouped_put(text, number + (*number == '-'));
}

void swi_number_figure(struct swi_text *text, double value)
{
    char number[DIGITS_MAX];
    if (value >= 99.5 || !isfinite(value)) {
        swi_number_rate(text, value);
        return;
    }
    snprintf(number, sizeof number, "%.3g", value);
    point_set(number);
    swi_text_put(text, number);
}

void swi_number_duration(struct swi_text *text, double ns, bool utf8)
{
    const struct {
        double scale;
        const char *unit;
    } units[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, utf8 ? " µs" : " us"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double value = ns / units[i].scale;
        if (ns < units[i].scale)
            continue;
        swi_number_fixed(text, value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
        swi_text_put(text, units[i].unit);
        return;
    }
    swi_number_fixed(text, ns, 0);
    swi_text_put(text, " ns");
}

void swi_number_clock(struct swi_text *text, double seconds)
{
    int64_t s = seconds > 0 && seconds < 1e15 ? (int64_t)(seconds + 0.5) : 0;
    if (s >= 3600)
        swi_text_format(text, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
    else
        swi_text_format(text, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

void swi_number_value(struct swi_text *text, double value)
{
    char number[DIGITS_MAX];
    if (!isfinite(value)) {
        swi_text_put(text, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    snprintf(number, sizeof number, "%.4g", value);
    point_set(number);
    swi_text_put(text, number);
}

void swi_number_bytes(struct swi_text *text, int64_t bytes)
{
    static const char units[] = "GMK";
    double size = bytes < 0 ? -(double)bytes : (double)bytes, unit = 1 << 30;
    for (int i = 0; units[i]; i++, unit /= 1024) {
        if (size < unit)
            continue;
        swi_number_fixed(text, (double)bytes / unit, 2);
        swi_text_format(text, " %cB", units[i]);
        return;
    }
    swi_text_format(text, "%" PRId64 " B", bytes);
}
