/* SPDX-License-Identifier: MIT */
#include "core/text/parse.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ctype.h depends on the locale; these functions do not. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *text)
{
    while (is_digit(*text))
        text++;
    return text;
}

static const char *skip_sign(const char *text)
{
    return text + (*text == '-' || *text == '+');
}

/* ---- bool ---- */

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

int swi_parse_bool(const char *text, bool *value, struct sw_error *err)
{
    static const char *const yes[] = {"true", "True", "TRUE", NULL};
    static const char *const no[] = {"false", "False", "FALSE", NULL};
    bool is_true = is_one_of(text, yes);
    if (!is_true && !is_one_of(text, no))
        return sw_error_set(err, SW_EINVAL, "is neither true nor false");
    *value = is_true;
    return 0;
}

/* ---- int and float ---- */

int swi_parse_int(const char *text, int64_t *value, struct sw_error *err)
{
    const char *digits = skip_sign(text);
    if (!is_digit(*digits) || *skip_digits(digits))
        return sw_error_set(err, SW_EINVAL,
                            "is not an integer: expected digits only, like 40 or -3");
    int64_t number = 0;
    for (; *digits; digits++) {
        int digit = *text == '-' ? -(*digits - '0') : *digits - '0';
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return sw_error_set(err, SW_EINVAL, "is not within %" PRId64 "..%" PRId64, INT64_MIN,
                                INT64_MAX);
    }
    *value = number;
    return 0;
}

/* Returns whether text is a decimal number. strtod() would accept 0x1p3, inf, nan and leading
 * blanks too. */
static bool is_number(const char *text)
{
    const char *whole = skip_sign(text), *end = skip_digits(whole);
    bool any = end > whole;
    if (*end == '.') {
        const char *fraction = end + 1;
        end = skip_digits(fraction);
        any = any || end > fraction;
    }
    if (any && (*end == 'e' || *end == 'E')) {
        const char *exponent = skip_sign(end + 1);
        end = skip_digits(exponent);
        any = end > exponent;
    }
    return any && !*end;
}

int swi_parse_float(const char *text, double *value, struct sw_error *err)
{
    if (!is_number(text))
        return sw_error_set(err, SW_EINVAL,
                            "is not a number: expected a decimal number, like 40, 0.5 or 1e-3");
    /* strtod() uses the program's decimal point, which may be a comma. */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return sw_error_set(err, SW_ENOMEM, "cannot be read: out of memory");
    double number = strtod_l(text, NULL, c);
    freelocale(c);
    if (!isfinite(number))
        return sw_error_set(err, SW_EINVAL, "is too large: at most 1.79e308");
    *value = number;
    return 0;
}

/* printf() uses the program's decimal point too. */
const char *swi_print_float(char *buffer, double value)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c ? uselocale(c) : (locale_t)0;
    snprintf(buffer, SWI_FLOAT_TEXT, "%.15g", value);
    if (c) {
        uselocale(old);
        freelocale(c);
    }
    return buffer;
}

/* ---- duration and size: a number and a unit ---- */

struct unit {
    const char *name;
    int64_t size;
};

/* Exact: 18 digits of fraction times the largest unit are far below 2^127. */
__extension__ typedef unsigned __int128 wide;

enum { FRACTION_DIGITS = 18 };

enum amount {
    AMOUNT_OK,
    AMOUNT_NONE,
    AMOUNT_UNIT,
    AMOUNT_BLANK,
    AMOUNT_NO_UNIT,
    AMOUNT_LARGE,
    AMOUNT_FINE
};

static int64_t unit_size(const struct unit *units, const char *name)
{
    for (; units->name; units++)
        if (strcmp(units->name, name) == 0)
            return units->size;
    return 0;
}

/* What is wrong with a unit that is not known. */
static enum amount unit_refused(const struct unit *units, const char *name)
{
    const char *after = name + strspn(name, " ");
    if (after > name && *after && unit_size(units, after))
        return AMOUNT_BLANK;
    return *name ? AMOUNT_UNIT : AMOUNT_NO_UNIT;
}

static enum amount whole_part(const char *text, const char *end, int64_t unit, int64_t *value)
{
    int64_t number = 0;
    for (; text < end; text++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *text - '0', &number))
            return AMOUNT_LARGE;
    return __builtin_mul_overflow(number, unit, value) ? AMOUNT_LARGE : AMOUNT_OK;
}

/* Converts the digits after the point to the smallest unit. There must be no remainder. */
static enum amount fraction_part(const char *text, const char *end, int64_t unit, int64_t *value)
{
    wide number = 0, scale = 1;
    size_t digits = (size_t)(end - text);
    while (digits && text[digits - 1] == '0')
        digits--;
    if (digits > FRACTION_DIGITS)
        return AMOUNT_FINE;
    for (size_t i = 0; i < digits; i++, scale *= 10)
        number = number * 10 + (wide)(text[i] - '0');
    number *= (wide)unit;
    *value = (int64_t)(number / scale);
    return number % scale == 0 ? AMOUNT_OK : AMOUNT_FINE;
}

static enum amount amount(const char *text, const struct unit *units, int64_t *value)
{
    const char *point = skip_digits(text), *end = point;
    if (*point == '.')
        end = skip_digits(point + 1);
    if (point == text || (end > point && end == point + 1))
        return AMOUNT_NONE;
    int64_t unit = unit_size(units, end), whole = 0, fraction = 0;
    if (!unit)
        return unit_refused(units, end);
    enum amount result = whole_part(text, point, unit, &whole);
    if (result == AMOUNT_OK && end > point)
        result = fraction_part(point + 1, end, unit, &fraction);
    if (result == AMOUNT_OK && __builtin_add_overflow(whole, fraction, value))
        result = AMOUNT_LARGE;
    return result;
}

int swi_parse_duration(const char *text, int64_t *ns, struct sw_error *err)
{
    static const struct unit units[] = {{"ns", 1},         {"us", 1000},       {"ms", 1000000},
                                        {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000},
                                        {NULL, 0}};
    static const char *const sentence[] = {
        [AMOUNT_NONE] = "is not a duration: expected a number with a unit, like 250ms, 2s or 1m",
        [AMOUNT_UNIT] = "has no known unit of time: expected ns, us, ms, s, m or h, like 250ms",
        [AMOUNT_BLANK] = "has a blank before its unit: write it without, like 250ms",
        [AMOUNT_NO_UNIT] = "has no unit: expected ns, us, ms, s, m or h, like 250ms or 2s",
        [AMOUNT_LARGE] = "is too long: at most 2562047h",
        [AMOUNT_FINE] = "is not a whole number of nanoseconds",
    };
    int64_t value = 0;
    enum amount result = amount(text, units, &value);
    if (result != AMOUNT_OK)
        return sw_error_set(err, SW_EINVAL, "%s", sentence[result]);
    *ns = value;
    return 0;
}

int swi_parse_size(const char *text, int64_t *bytes, struct sw_error *err)
{
    static const struct unit units[] = {{"", 1},
                                        {"B", 1},
                                        {"kB", 1000},
                                        {"MB", 1000000},
                                        {"GB", 1000000000},
                                        {"TB", 1000000000000},
                                        {"KiB", INT64_C(1) << 10},
                                        {"MiB", INT64_C(1) << 20},
                                        {"GiB", INT64_C(1) << 30},
                                        {"TiB", INT64_C(1) << 40},
                                        {NULL, 0}};
    static const char *const sentence[] = {
        [AMOUNT_NONE] = "is not a size: expected a number of bytes, like 100, 64kB or 8MiB",
        [AMOUNT_UNIT] = ("has no known unit of size: expected B, kB, MB, GB, TB, KiB, MiB, GiB or "
                         "TiB, like 8MiB"),
        [AMOUNT_BLANK] = "has a blank before its unit: write it without, like 8MiB",
        [AMOUNT_NO_UNIT] = "has no unit",
        [AMOUNT_LARGE] = "is too large: at most 9223372036854775807 bytes",
        [AMOUNT_FINE] = "is not a whole number of bytes",
    };
    int64_t value = 0;
    enum amount result = amount(text, units, &value);
    if (result != AMOUNT_OK)
        return sw_error_set(err, SW_EINVAL, "%s", sentence[result]);
    *bytes = value;
    return 0;
}

const char *swi_print_duration(char *buffer, int64_t ns)
{
    static const struct unit units[] = {
        {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    size_t i = 0;
    while (ns % units[i].size)
        i++;
    snprintf(buffer, SWI_DURATION_TEXT, "%" PRId64 "%s", ns / units[i].size, units[i].name);
    return buffer;
}

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
    char plain[64] = "";
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
