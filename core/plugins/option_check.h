/* SPDX-License-Identifier: MIT */
/* option_check.h - whether a plugin's table of options can be used. */
#ifndef CORE_PLUGINS_OPTION_CHECK_H
#define CORE_PLUGINS_OPTION_CHECK_H

#include <stepwatch/sink.h>

/* Whether a table is sound: names, types, fallbacks that parse, offsets within state_size. */
int swi_options_check(const struct sw_option *options, size_t state_size, struct sw_error *err);

#endif
