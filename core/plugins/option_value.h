/* SPDX-License-Identifier: MIT */
/* option_value.h - prints the value of an option. */
#ifndef CORE_PLUGINS_OPTION_VALUE_H
#define CORE_PLUGINS_OPTION_VALUE_H

#include <stepwatch/sink.h>

/* Returns the value of an option as it would be written in the YAML file, or "***" for a secret.
 * The caller frees it. */
char *swi_option_value(const struct sw_option *option, const void *state);

#endif
