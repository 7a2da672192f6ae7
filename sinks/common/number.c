/* SPDX-License-Identifier: MIT */
#include "sinks/common/number.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf takes the decimal point of the program's locale: put ours in its place. */
static void point(char *text)
{
    const char *of_locale = localeconv()->decimal_point;
    size_t n = strlen(of_locale);
    char *at = n ? strstr(text, of_locale) : NULL;
    if (!at)
        return;
    *at = '.';
    memmove(at + 1, at + n, strlen(at + n) + 1);
}

/* Reads back a text of ours, which has a point. */
static double read_back(const char *text)
{
    char local[NUMBER_SIZE + 8];
    const char *at = strchr(text, '.');
    if (!at)
        return strtod(text, NULL);
    snprintf(local, sizeof local, "%.*s%.4s%s", (int)(at - text), text, localeconv()->decimal_point,
             at + 1);
    return strtod(local, NULL);
}

const char *number_general(char *buffer, int digits, double value)
{
    snprintf(buffer, NUMBER_SIZE, "%.*g", digits, value);
    point(buffer);
    return buffer;
}

/* SI prefixes by a third of the exponent; 1 has a blank so that columns stay aligned. */
static const char *prefix(int third)
{
    static const char *const prefixes[] = {"y", "z", "a", "f", "p", "n", "\u00b5",
                                           "m", " ", "k", "M", "G", "T"};
    return prefixes[third + 8];
}

const char *number_seconds(char *buffer, double seconds)
{
    char mantissa[16];
    if (seconds == 0)
        return strcpy(buffer, "-");
    int third = (int)floor(log10(fabs(seconds)) / 3);
    third = third < -8 ? -8 : third > 4 ? 4 : third;
    snprintf(mantissa, sizeof mantissa, "%#.4G", seconds / pow(10, 3 * third));
    point(mantissa);
    snprintf(buffer, NUMBER_SIZE, "%s%ss", mantissa, prefix(third));
    return buffer;
}

const char *number_grouped(char *buffer, double value)
{
    char digits[NUMBER_SIZE];
    if (isnan(value))
        return strcpy(buffer, "-");
    if (fabs(value) > 1e17)
        return number_general(buffer, 6, value);
    int64_t rounded = (int64_t)nearbyint(value);
    int n = snprintf(digits, sizeof digits, "%" PRId64, rounded < 0 ? -rounded : rounded);
    char *out = buffer;
    if (rounded < 0)
        *out++ = '-';
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return buffer;
}

const char *number_percent(char *buffer, double share)
{
    snprintf(buffer, NUMBER_SIZE, "%.0f%%", 100 * share);
    return buffer;
}

/* "1e-05" stays; "5" becomes "5.0". */
static void fraction(char *buffer)
{
    if (!strpbrk(buffer, ".ein"))
        strcat(buffer, ".0");
}

/* Positional from 1e-4 to below 1e16, as Python chooses; else with an exponent of at least two
 * digits. */
static void digits_write(char *buffer, int digits, double value)
{
    double size = fabs(value);
    if (size != 0 && (size < 1e-4 || size >= 1e16)) {
        snprintf(buffer, NUMBER_SIZE, "%.*e", digits - 1, value);
    } else {
        int exponent = size == 0 ? 0 : (int)floor(log10(size));
        int decimals = digits - 1 - exponent;
        snprintf(buffer, NUMBER_SIZE, "%.*f", decimals > 0 ? decimals : 0, value);
    }
    point(buffer);
}

const char *number_shortest(char *buffer, double value)
{
    if (!isfinite(value))
        return strcpy(buffer, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    for (int digits = 1; digits <= 17; digits++) {
        digits_write(buffer, digits, value);
        if (read_back(buffer) == value)
            break;
    }
    fraction(buffer);
    return buffer;
}
