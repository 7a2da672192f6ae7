/* SPDX-License-Identifier: MIT */
/* number.h - numbers as text, the same in every locale. Buffers of 32 bytes are enough for all. */
#ifndef SINKS_NUMBER_H
#define SINKS_NUMBER_H

#include <stddef.h>

enum { NUMBER_SIZE = 32 };

/* A duration in seconds with four significant digits and an SI prefix: 0.0866249 is
 * "86.62ms", 35.63 is "35.63 s", 0 is "-". The exponent is chosen before rounding, so 999.96 is
 * "1000. s". */
const char *number_seconds(char *buffer, double seconds);

/* Rounded to an integer, halves to even, with a comma each three digits: "1,136", "-134". NAN is
 * "-". */
const char *number_grouped(char *buffer, double value);

/* A share as percent without digits after the point: 0.345 is "34%". */
const char *number_percent(char *buffer, double share);

/* The shortest decimal that reads back the same, like Python writes it: "0.0",
 * "8.741403703704798e-05". */
const char *number_shortest(char *buffer, double value);

/* As printf's "%.*g", with a point whatever the locale. */
const char *number_general(char *buffer, int digits, double value);

#endif
