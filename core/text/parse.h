/* SPDX-License-Identifier: MIT */
/* parse.h - typed text: the values of sinks' options and of the configuration's own keys.
 *
 * The whole text must match, whatever the locale. Each returns 0 and sets the value, or returns
 * SW_EINVAL, leaves the value alone and puts into err how a sentence goes on that began with the
 * text: "is not a duration: …". The text itself is not repeated: it may be a secret. */
#ifndef CORE_TEXT_PARSE_H
#define CORE_TEXT_PARSE_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

/* true or false, also True, TRUE and so on, as in YAML 1.2. */
int swi_parse_bool(const char *text, bool *value, struct sw_error *err);

/* A decimal integer, with or without a sign. */
int swi_parse_int(const char *text, int64_t *value, struct sw_error *err);

/* A finite decimal number: 40, -0.5, .5, 1e-3. */
int swi_parse_float(const char *text, double *value, struct sw_error *err);

/* The reverse: the shortest text that swi_parse_float() reads as value to 15 digits; "inf" for
 * infinity. buffer has SWI_FLOAT_TEXT bytes. Returns buffer. */
enum { SWI_FLOAT_TEXT = 32 };
const char *swi_print_float(char *buffer, double value);
#define SWI_FLOAT(value) swi_print_float((char[SWI_FLOAT_TEXT]){0}, (value))

/* A number that is not negative, and its unit: ns, us, ms, s, m or h. */
int swi_parse_duration(const char *text, int64_t *ns, struct sw_error *err);

/* The reverse: in the largest unit that needs no fraction. buffer has SWI_DURATION_TEXT bytes.
 * Returns buffer. */
enum { SWI_DURATION_TEXT = 32 };
const char *swi_print_duration(char *buffer, int64_t ns);

/* A number that is not negative, and its unit: B (or none), kB, MB, GB, TB, KiB, MiB, GiB or TiB.
 */
int swi_parse_size(const char *text, int64_t *bytes, struct sw_error *err);

#endif
