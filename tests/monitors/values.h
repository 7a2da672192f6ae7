/* SPDX-License-Identifier: MIT */
/* values.h - what a monitor's code gives, without a profiler. */
#ifndef TESTS_VALUES_H
#define TESTS_VALUES_H

#include <stepwatch/monitor.h>

#include <jansson.h>

/* The monitor that the code is called with. Its environment is `environment`, names and values in
 * turn that end with NULL; NULL: none. */
struct sw_monitor *values_monitor(const char *const *environment);

/* Forgets all values and messages. */
void values_clear(void);

/* The value that was given last under a name; fails the test if there is none. */
double values_get(const char *name);
bool values_has(const char *name);
size_t values_count(void);

/* What was said, a line each. */
const char *values_said(void);

/* Whether the values are those of a JSON object, within 1e-9 of each. Names that begin with
 * `except` (NULL: none) may be further ones. Fails the test if not. */
void values_assert(const json_t *expected, const char *except);

#endif
