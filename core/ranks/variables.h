/* SPDX-License-Identifier: MIT */
/* variables.h - the variables of the environment in which launchers say the rank. */
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

/* A variable's value; NULL if it is not set or empty. */
const char *swi_variable(const struct swi_variables *variables, const char *name);

/* A variable's value as a number: 1 to 10 ASCII digits, at most 2^31 - 1. -1: it is not set, or not
 * such a number. */
int64_t swi_variable_number(const struct swi_variables *variables, const char *name);

/* The same for a text; size bytes of it. */
int64_t swi_digits(const char *text, size_t size);

#endif
