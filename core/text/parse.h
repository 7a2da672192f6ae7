/* SPDX-License-Identifier: MIT */
/* parse.h - parses typed text: values of sinks' options and of configuration keys.
 *
 * The whole text must match, in any locale. Each function returns 0 and sets the value, or returns
 * SW_EINVAL, leaves the value unchanged and sets err to the continuation of a sentence that begins
 * with the text: "is not a duration: …". The text itself is not repeated, because it may be a
 * secret. */
#ifndef CORE_TEXT_PARSE_H
#define CORE_TEXT_PARSE_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

/* Parses true or false, or True, TRUE and so on, as in YAML 1.2. */
int swi_parse_bool(const char *text, bool *value, struct sw_error *err);

/* Parses a decimal integer, with or without a sign. */
int swi_parse_int(const char *text, int64_t *value, struct sw_error *err);

/* Parses a finite decimal number: 40, -0.5, .5, 1e-3. */
int swi_parse_float(const char *text, double *value, struct sw_error *err);

/* Prints the shortest text that swi_parse_float() reads as value to 15 digits; "inf" for infinity.
 * buffer has SWI_FLOAT_TEXT bytes. Returns buffer. */
enum { SWI_FLOAT_TEXT = 32 };
const char *swi_print_float(char *buffer, double value);
#define SWI_FLOAT(value) swi_print_float((char[SWI_FLOAT_TEXT]){0}, (value))

/* Parses a number that is not negative, and its unit: ns, us, ms, s, m or h. */
int swi_parse_duration(const char *text, int64_t *ns, struct sw_error *err);

/* Prints a duration in the largest unit that needs no fraction. buffer has SWI_DURATION_TEXT bytes.
 * Returns buffer. */
enum { SWI_DURATION_TEXT = 32 };
const char *swi_print_duration(char *buffer, int64_t ns);

/* Parses a number that is not negative, and its unit: B (or none), kB, MB, GB, TB, KiB, MiB, GiB or
 * TiB. */
int swi_parse_size(const char *text, int64_t *bytes, struct sw_error *err);

/* ---- YAML 1.1 -------------------------------------------------------------------------------- */

/* What a text without quotes is in YAML 1.1, by the rules of PyYAML, which the files of wandb's
 * agent are written and read with: 010 is 8, yes is true, and 1e5 is a text. */

enum swi_yaml_kind { SWI_YAML_TEXT, SWI_YAML_NULL, SWI_YAML_BOOL, SWI_YAML_INT, SWI_YAML_FLOAT };

struct swi_yaml_scalar {
    enum swi_yaml_kind kind;
    double number; /* of an int or a float; of a bool 1 or 0 */
};

/* Dates and times of day are texts. */
struct swi_yaml_scalar swi_yaml_scalar(const char *text);

#endif
