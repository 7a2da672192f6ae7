/* SPDX-License-Identifier: MIT */
#include "core/text/yaml_scalar.h"
#include "core/text/parse.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- words ----------------------------------------------------------------------------------- */

static const struct word {
    const char *text;
    struct swi_yaml_scalar is;
} words[] = {
    {"", {SWI_YAML_NULL, 0}},        {"~", {SWI_YAML_NULL, 0}},
    {"null", {SWI_YAML_NULL, 0}},    {"Null", {SWI_YAML_NULL, 0}},
    {"NULL", {SWI_YAML_NULL, 0}},    {"yes", {SWI_YAML_BOOL, 1}},
    {"Yes", {SWI_YAML_BOOL, 1}},     {"YES", {SWI_YAML_BOOL, 1}},
    {"true", {SWI_YAML_BOOL, 1}},    {"True", {SWI_YAML_BOOL, 1}},
    {"TRUE", {SWI_YAML_BOOL, 1}},    {"on", {SWI_YAML_BOOL, 1}},
    {"On", {SWI_YAML_BOOL, 1}},      {"ON", {SWI_YAML_BOOL, 1}},
    {"no", {SWI_YAML_BOOL, 0}},      {"No", {SWI_YAML_BOOL, 0}},
    {"NO", {SWI_YAML_BOOL, 0}},      {"false", {SWI_YAML_BOOL, 0}},
    {"False", {SWI_YAML_BOOL, 0}},   {"FALSE", {SWI_YAML_BOOL, 0}},
    {"off", {SWI_YAML_BOOL, 0}},     {"Off", {SWI_YAML_BOOL, 0}},
    {"OFF", {SWI_YAML_BOOL, 0}},     {".nan", {SWI_YAML_FLOAT, NAN}},
    {".NaN", {SWI_YAML_FLOAT, NAN}}, {".NAN", {SWI_YAML_FLOAT, NAN}},
};

static const struct word *word_find(const char *text)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].text) == 0)
            return &words[i];
    return NULL;
}

static bool is_infinity(const char *text)
{
    return strcmp(text, ".inf") == 0 || strcmp(text, ".Inf") == 0 || strcmp(text, ".INF") == 0;
}

/* ---- numbers; all are without their sign ----------------------------------------------------- */

/* Digits of a base up to the end of the text, with underscores. */
static bool digits_read(const char *text, const char *digits, int base, double *number)
{
    *number = 0;
    for (; *text; text++) {
        const char *digit = *text == '_' ? NULL : strchr(digits, *text);
        if (*text != '_' && !digit)
            return false;
        if (digit)
            *number = *number * base + (double)((digit - digits) % base);
    }
    return true;
}

static bool int_read(const char *text, double *number)
{
    if (text[0] != '0')
        return text[0] >= '1' && text[0] <= '9' && digits_read(text, "0123456789", 10, number);
    if (text[1] == 'b')
        return text[2] && digits_read(text + 2, "01", 2, number);
    if (text[1] == 'x')
        return text[2] && digits_read(text + 2, "0123456789abcdef0123456789ABCDEF", 16, number);
    return digits_read(text, "01234567", 8, number);
}

/* With a point, and a sign in the exponent. */
static bool float_read(const char *text, bool has_sign, double *number)
{
    char plain[64];
    SW_ERROR_SCOPE(ignored);
    size_t whole = strspn(text, "0123456789_"), used = 0;
    const char *at = text + whole + 1;
    if (*text == '_' || text[whole] != '.' || (!whole && (has_sign || *at < '0' || *at > '9')))
        return false;
    at += strspn(at, "0123456789_");
    if ((*at == 'e' || *at == 'E') && (at[1] == '+' || at[1] == '-') && at[2])
        at += 2 + strspn(at + 2, "0123456789");
    for (const char *c = text; c < at && used < sizeof plain - 1; c++)
        if (*c != '_')
            plain[used++] = *c;
    plain[used] = '\0';
    return !*at && swi_parse_float(plain, number, &ignored) == 0;
}

struct swi_yaml_scalar swi_yaml_scalar(const char *text)
{
    const struct word *word = word_find(text);
    bool has_sign = *text == '-' || *text == '+';
    const char *digits = text + has_sign;
    struct swi_yaml_scalar is = {SWI_YAML_TEXT, 0};
    if (word)
        return word->is;
    if (is_infinity(digits))
        is = (struct swi_yaml_scalar){SWI_YAML_FLOAT, INFINITY};
    else if (int_read(digits, &is.number))
        is.kind = SWI_YAML_INT;
    else if (float_read(digits, has_sign, &is.number))
        is.kind = SWI_YAML_FLOAT;
    if (*text == '-')
        is.number = -is.number;
    return is;
}
