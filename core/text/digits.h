/* SPDX-License-Identifier: MIT */
/* digits.h - writes whole numbers in decimal, eight digits at a time.
 *
 * A loop over the digits costs a division for each and a branch that the processor cannot predict,
 * because the numbers of a trace have different lengths. */
#ifndef CORE_TEXT_DIGITS_H
#define CORE_TEXT_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum {
    SWI_DIGITS_E8 = 100000000,
    SWI_DIGITS_ROOM = 24 /* bytes that swi_digits_put() may touch */
};

/* Returns the eight digits of a number below 10^8, one in each byte, the first in the lowest byte.
 * Each line halves the parts: two of four digits, four of two, eight of one. A division by 100 or
 * by 10 is a multiplication and a shift, which are exact for such small parts. */
static inline uint64_t swi_digits_split(uint32_t value)
{
    uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x7f0000007f);
    uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
    uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (pairs - 10 * tens) << 8;
}

/* Stores the digits from the `skip`-th on as characters. Always writes eight bytes. */
static inline void swi_digits_store(char *at, uint64_t digits, unsigned skip)
{
    uint64_t characters = htole64((digits | UINT64_C(0x3030303030303030)) >> 8 * skip);
    memcpy(at, &characters, sizeof characters);
}

/* Returns how many zeros come before the first digit that is not 0. least: how many digits stay in
 * any case. */
static inline unsigned swi_digits_zeros(uint64_t digits, unsigned least)
{
    return (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 8 * (8 - least)) / 8;
}

/* Writes a number below 10^8 without leading zeros. */
static inline char *swi_digits_short(char *at, uint32_t value)
{
    uint64_t digits = swi_digits_split(value);
    unsigned zeros = swi_digits_zeros(digits, 1);
    swi_digits_store(at, digits, zeros);
    return at + 8 - zeros;
}

/* Writes a number below 10^8 with leading zeros. */
static inline char *swi_digits_eight(char *at, uint64_t value)
{
    swi_digits_store(at, swi_digits_split((uint32_t)value), 0);
    return at + 8;
}

/* Writes a number and returns its end. There must be room for SWI_DIGITS_ROOM bytes. */
static inline char *swi_digits_put(char *at, uint64_t value)
{
    if (value < SWI_DIGITS_E8)
        return swi_digits_short(at, (uint32_t)value);
    uint64_t high = value / SWI_DIGITS_E8;
    if (high < SWI_DIGITS_E8)
        at = swi_digits_short(at, (uint32_t)high);
    else
        at = swi_digits_eight(swi_digits_short(at, (uint32_t)(high / SWI_DIGITS_E8)),
                              high % SWI_DIGITS_E8);
    return swi_digits_eight(at, value % SWI_DIGITS_E8);
}

#endif
