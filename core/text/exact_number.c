/* SPDX-License-Identifier: MIT */
#include "core/text/exact_number.h"
#include "core/text/digits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* digits[0] . digits[1..] times 10 to the power of the exponent. */
struct decimal {
    char digits[SWI_DIGITS_ROOM];
    size_t count;
    int exponent;
};

/* Sets the digits, of which there is at least one and the first is at 10^exponent. Zeros at the end
 * are left out. */
static void decimal_set(struct decimal *decimal, uint64_t digits, int exponent)
{
    while (digits % SWI_DIGITS_E8 == 0)
        digits /= SWI_DIGITS_E8;
    char *end = swi_digits_put(decimal->digits, digits);
    while (end[-1] == '0')
        end--;
    *end = '\0';
    decimal->count = (size_t)(end - decimal->digits);
    decimal->exponent = exponent;
}

__extension__ typedef unsigned __int128 wide;

enum { POWERS = 20 };
/* clang-format off */
static const uint64_t ten_to[POWERS] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
    100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
    10000000000000000, 100000000000000000, 1000000000000000000, 10000000000000000000u};
/* clang-format on */

/* The bits after the point of the smallest value. A constant, because shifts by it are quick. */
enum { AFTER_POINT = 72 };

/* A value with 17 digits before the point: whole + rest / 2^AFTER_POINT. */
struct scaled {
    uint64_t whole;
    wide rest;
    wide unit;     /* how much a unit of the mantissa is now, times 2^AFTER_POINT */
    bool is_even;  /* the mantissa: a value just between two doubles is read as the even one */
    bool is_power; /* of two: the next double below is half as far away */
};

/* Scales value = mantissa / 2^shift by a power of ten. Uses only integers: 2^53 * 10^22 has 127
 * bits. */
static struct scaled scaled_of(uint64_t mantissa, int shift, int after)
{
    wide scale =
        after < POWERS ? ten_to[after] : (wide)ten_to[POWERS - 1] * ten_to[after - POWERS + 1];
    wide product = mantissa * scale;
    uint64_t whole = (uint64_t)(product >> shift);
    return (struct scaled){.whole = whole,
                           .rest = (product - ((wide)whole << shift)) << (AFTER_POINT - shift),
                           .unit = scale << (AFTER_POINT - shift),
                           .is_even = mantissa % 2 == 0,
                           .is_power = mantissa == UINT64_C(1) << (DBL_MANT_DIG - 1)};
}

/* Rounds to a multiple of `step`, ties to even like printf(). Returns whether strtod() would read
 * the same value from that, which it does if it is less than half a unit of the mantissa away.
 * Inline, because `step` is a constant and a division by it a multiplication. */
static inline __attribute__((always_inline)) bool reads_back(const struct scaled *scaled,
                                                             uint64_t step, uint64_t *digits)
{
    uint64_t count = scaled->whole / step;
    wide below = ((wide)(scaled->whole % step) << AFTER_POINT) + scaled->rest;
    wide above = ((wide)step << AFTER_POINT) - below;
    bool up = below > above || (below == above && count % 2);
    wide off = 2 * (up ? above : below);
    if (!up && scaled->is_power)
        off *= 2;
    *digits = count + up;
    return off < scaled->unit || (off == scaled->unit && scaled->is_even);
}

/* Returns the exponent of a value from 1e-6 to 1e15 that is at least 2^binary, which has at most
 * one digit less. */
static int exponent_of(double value, int binary)
{
    static const double power[] = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3,  1e4, 1e5,
                                   1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    int least = binary * 1233 >> 12; /* log10(2) is a little more than 1233 / 4096 */
    int exponent = least < -6 ? -6 : least;
    while (value >= power[exponent + 6])
        exponent++;
    return exponent;
}

/* Does what frexp() and ldexp() do for a normal positive value: value = mantissa * 2^(binary - 53).
 */
static uint64_t mantissa_of(double value, int *binary)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *binary = (int)(bits >> (DBL_MANT_DIG - 1)) + DBL_MIN_EXP - 1;
    uint64_t hidden = UINT64_C(1) << (DBL_MANT_DIG - 1);
    return (bits & (hidden - 1)) | hidden;
}

/* Does what shortest() does, without printf() and strtod(). Returns false if the value is too small
 * or too large for that. A value has 15 digits, 16, or 17 if it needs them. */
static bool shortest_quick(double value, struct decimal *decimal)
{
    if (value < 1e-6 || value >= 1e15)
        return false;
    int binary;
    uint64_t mantissa = mantissa_of(value, &binary), digits;
    int exponent = exponent_of(value, binary - 1);
    struct scaled scaled = scaled_of(mantissa, DBL_MANT_DIG - binary, 16 - exponent);
    uint64_t longer = ten_to[15];
    if (!reads_back(&scaled, 100, &digits)) {
        longer = ten_to[16];
        if (!reads_back(&scaled, 10, &digits)) {
            longer = ten_to[17];
            if (!reads_back(&scaled, 1, &digits))
                return false;
        }
    }
    decimal_set(decimal, digits, exponent + (digits == longer));
    return true;
}

/* Returns how many digits after the first are needed. A number of at most 15 digits survives the
 * conversion to a double and back, so if 15 digits are enough, the fewest are these without the
 * zeros at their end. That is not true for subnormal numbers, which have less than 15 digits. */
static int digits_after(char *number, size_t size, double value)
{
    for (int after = value < DBL_MIN ? 0 : 14; after < 16; after++) {
        snprintf(number, size, "%.*e", after, value);
        if (strtod(number, NULL) == value)
            return after;
    }
    snprintf(number, size, "%.16e", value);
    return 16;
}

/* Does what shortest() does for all other values. printf() uses the same locale as strtod() here,
 * so the two agree. */
static struct decimal shortest_slow(double value)
{
    struct decimal decimal = {0};
    char number[48];
    int after = digits_after(number, sizeof number, value);
    const char *exponent = strchr(number, 'e');
    size_t count = 0;
    for (const char *c = number; c < exponent; c++)
        if (*c >= '0' && *c <= '9')
            decimal.digits[count++] = *c;
    while (after == 14 && count > 1 && decimal.digits[count - 1] == '0')
        decimal.digits[--count] = '\0';
    decimal.count = count;
    decimal.exponent = atoi(exponent + 1);
    return decimal;
}

/* Finds the fewest digits, 17 at most, from which strtod() reads the same value. */
static void shortest(double value, struct decimal *decimal)
{
    if (!shortest_quick(value, decimal))
        *decimal = shortest_slow(value);
}

static void scientific_put(struct swi_text *text, const struct decimal *decimal)
{
    swi_text_add(text, decimal->digits, 1);
    if (decimal->digits[1])
        swi_text_format(text, ".%s", decimal->digits + 1);
    swi_text_format(text, "e%+03d", decimal->exponent);
}

/* Copies at least one byte, eight at a time: that is quicker than memcpy() for so few. May read and
 * write seven bytes more. */
static inline char *digits_copy(char *to, const char *digits, size_t count)
{
    for (size_t i = 0; i < count; i += 8)
        memcpy(to + i, digits + i, 8);
    return to + count;
}

enum {
    POSITIONAL_ROOM = 64
}; /* 17 digits, as many zeros, the point, and what is written too far */

/* The exponent is from -4 to 16. */
static void positional_put(struct swi_text *text, const struct decimal *decimal)
{
    size_t count = decimal->count;
    size_t whole = decimal->exponent < 0 ? 0 : (size_t)decimal->exponent + 1;
    size_t shown = whole < count ? whole : count;
    if (text->capacity - text->size <= POSITIONAL_ROOM && !swi_text_reserve(text, POSITIONAL_ROOM))
        return;
    char *to = text->data + text->size;
    if (whole) {
        to = digits_copy(to, decimal->digits, shown);
        memcpy(to, "0000000000000000", 16);
        to += whole - shown;
        *to++ = '.';
    } else {
        memcpy(to, "0.0000", 6);
        to += 1 - decimal->exponent;
    }
    if (shown < count)
        to = digits_copy(to, decimal->digits + shown, count - shown);
    else
        *to++ = '0';
    *to = '\0';
    text->size = (size_t)(to - text->data);
}

void swi_number_exact(struct swi_text *text, double value)
{
    if (isnan(value)) {
        swi_text_put(text, "nan");
        return;
    }
    swi_text_put(text, signbit(value) ? "-" : "");
    if (isinf(value)) {
        swi_text_put(text, "inf");
        return;
    }
    if (fabs(value) < 1e15 && value == (double)(int64_t)value) {
        swi_text_integer(text, (int64_t)fabs(value));
        swi_text_put(text, ".0");
        return;
    }
    struct decimal decimal;
    shortest(fabs(value), &decimal);
    /* Python's repr() changes to this notation here, which its readers are used to. */
    if (decimal.exponent < -4 || decimal.exponent >= 16)
        scientific_put(text, &decimal);
    else
        positional_put(text, &decimal);
}

void swi_number_decimal(struct swi_text *text, int64_t units, int digits)
{
    enum { ROOM = 2 * SWI_DIGITS_ROOM };
    if (text->capacity - text->size <= ROOM && !swi_text_reserve(text, ROOM))
        return;
    uint64_t whole = (uint64_t)units / ten_to[digits], rest = (uint64_t)units % ten_to[digits];
    char *point = swi_digits_put(text->data + text->size, whole);
    /* A one before the digits keeps their leading zeros, and the point takes its place. */
    char *end = swi_digits_put(point, rest + ten_to[digits]);
    *point = '.';
    while (end[-1] == '0' && end > point + 2)
        end--;
    *end = '\0';
    text->size = (size_t)(end - text->data);
}

void swi_number_json(struct swi_text *text, double value)
{
    if (isfinite(value))
        swi_number_exact(text, value);
    else
        swi_text_put(text, isnan(value) ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
}

/* Rounds a positive number to a number of digits. */
static struct decimal rounded(double value, int digits)
{
    struct decimal decimal = {0};
    char number[48];
    size_t count = 0;
    snprintf(number, sizeof number, "%.*e", digits - 1, value);
    const char *exponent = strchr(number, 'e');
    for (const char *c = number; c < exponent; c++)
        if (*c >= '0' && *c <= '9')
            decimal.digits[count++] = *c;
    while (count > 1 && decimal.digits[count - 1] == '0')
        decimal.digits[--count] = '\0';
    decimal.count = count;
    decimal.exponent = atoi(exponent + 1);
    return decimal;
}

void swi_number_short(struct swi_text *text, double value, int digits)
{
    if (!isfinite(value)) {
        swi_number_exact(text, value);
        return;
    }
    struct decimal decimal = rounded(fabs(value), digits);
    swi_text_put(text, signbit(value) ? "-" : "");
    /* One digit after the point needs room, so this is one less than where %g changes notation. */
    if (decimal.exponent < -4 || decimal.exponent >= digits - 1)
        scientific_put(text, &decimal);
    else
        positional_put(text, &decimal);
}

/* ---- times ----------------------------------------------------------------------------------- */

bool swi_iso_date(char text[SWI_ISO_DATE], int64_t seconds, int micros, const char *zone)
{
    struct tm utc;
    text[0] = '\0';
    time_t at = (time_t)seconds;
    size_t size =
        gmtime_r(&at, &utc) ? strftime(text, SWI_ISO_DATE - 16, "%Y-%m-%dT%H:%M:%S", &utc) : 0;
    if (size && micros >= 0)
        snprintf(text + size, SWI_ISO_DATE - size, ".%06d%s", micros, zone);
    else if (size)
        snprintf(text + size, SWI_ISO_DATE - size, "%s", zone);
    return size > 0;
}
