/* SPDX-License-Identifier: MIT */
#include "core/ranks/variables.h"

#include <string.h>

const char *swi_variable(const struct swi_variables *variables, const char *name)
{
    const char *value = variables->get(variables->arg, name);
    return value && *value ? value : NULL;
}

int64_t swi_digits(const char *text, size_t size)
{
    int64_t number = 0;
    if (size < 1 || size > 10)
        return -1;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = 10 * number + (text[i] - '0');
    }
    return number <= INT32_MAX ? number : -1;
}

int64_t swi_variable_number(const struct swi_variables *variables, const char *name)
{
    const char *value = swi_variable(variables, name);
    return value ? swi_digits(value, strlen(value)) : -1;
}
