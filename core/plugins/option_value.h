/* SPDX-License-Identifier: MIT */
/* option_value.h - prints an option. */
#ifndef CORE_PLUGINS_OPTION_VALUE_H
#define CORE_PLUGINS_OPTION_VALUE_H

#include <stepwatch/sink.h>

/* The value of one option in a filled state as it would stand in the YAML, secrets as "***"; the
 * caller's to free(). */
char *swi_option_value(const struct sw_option *option, const void *state);

#endif
