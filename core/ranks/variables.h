/* SPDX-License-Identifier: MIT */
/* variables.h - reads the environment variables in which launchers pass the rank. */
#ifndef CORE_RANKS_VARIABLES_H
#define CORE_RANKS_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

/* Returns the value of a variable of the environment, or NULL. */
typedef const char *swi_variable_fn(const void *arg, const char *name);

struct swi_variables {
    swi_variable_fn *get;
    const void *arg;
};

/* Returns a variable's value, or NULL if it is not set or empty. */
const char *swi_variable(const struct swi_variables *variables, const char *name);

/* Returns a variable's value as a number: 1 to 10 ASCII digits, at most 2^31 - 1. Returns -1 if it
 * is not set or not such a number. */
int64_t swi_variable_number(const struct swi_variables *variables, const char *name);

/* Converts size bytes of a text in the same way. */
int64_t swi_digits(const char *text, size_t size);

#endif
