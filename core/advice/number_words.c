/* SPDX-License-Identifier: MIT */
#include "core/advice/number_words.h"

#include "core/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Takes over the text, which is short. */
static struct swi_word word_of(struct swi_text *text)
{
    struct swi_word word = {""};
    if (text->data)
        snprintf(word.text, sizeof word.text, "%s", text->data);
    swi_text_free(text);
    return word;
}

static struct swi_word fixed(double value, int digits, const char *unit)
{
    struct swi_text text = {0};
    swi_number_fixed(&text, value, digits);
    swi_text_put(&text, unit);
    return word_of(&text);
}

/* Like %.3g in the locale C. */
static struct swi_word three_digits(double value, const char *unit)
{
    struct swi_word word;
    snprintf(word.text, sizeof word.text, "%.3g", value);
    for (char *c = word.text; *c; c++)
        if (!strchr("0123456789e+-infa", *c))
            *c = '.';
    size_t used = strlen(word.text);
    snprintf(word.text + used, sizeof word.text - used, "%s", unit);
    return word;
}

struct swi_word swi_word_percent(double share)
{
    double percent = 100 * share;
    return fixed(percent, percent >= 9.95 ? 0 : 1, " %");
}

struct swi_word swi_word_change(double share)
{
    struct swi_word word = {"+"};
    struct swi_word number = fixed(100 * share, 1, " %");
    snprintf(word.text, sizeof word.text, "%s%.30s", *number.text == '-' ? "" : "+", number.text);
    return word;
}

struct swi_word swi_word_tenths(double value)
{
    return fixed(value, 1, "");
}

struct swi_word swi_word_time(double ns)
{
    static const struct {
        const char *unit;
        double size;
    } units[] = {{" s", 1e9}, {" ms", 1e6}, {" \302\265s", 1e3}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double value = ns / units[i].size;
        if (value >= 1)
            return fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, units[i].unit);
    }
    return fixed(ns, 0, " ns");
}

struct swi_word swi_word_bytes(double bytes)
{
    const double mib = 1 << 20, gib = 1 << 30;
    return bytes >= gib ? three_digits(bytes / gib, " GiB") : fixed(bytes / mib, 0, " MiB");
}

struct swi_word swi_word_rate(double rate)
{
    struct swi_text text = {0};
    if (rate < 99.5)
        return three_digits(rate, "");
    swi_number_rate(&text, rate);
    return word_of(&text);
}

struct swi_word swi_word_count(int64_t count)
{
    struct swi_text text = {0};
    swi_number_count(&text, count);
    return word_of(&text);
}

struct swi_word swi_word_ordinal(int64_t k)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    struct swi_word word;
    bool teen = k % 100 >= 10 && k % 100 <= 20;
    snprintf(word.text, sizeof word.text, "%" PRId64 "%s", k,
             teen || k % 10 > 3 ? "th" : ends[k % 10]);
    return word;
}
