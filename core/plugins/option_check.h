/* SPDX-License-Identifier: MIT */
/* option_check.h - checks a plugin's table of options. */
#ifndef CORE_PLUGINS_OPTION_CHECK_H
#define CORE_PLUGINS_OPTION_CHECK_H

#include <stepwatch/sink.h>

/* Checks names, types, fallbacks (which must parse) and offsets (which must be within state_size).
 * Returns 0, or a negative code with err set. */
int swi_options_check(const struct sw_option *options, size_t state_size, struct sw_error *err);

#endif
