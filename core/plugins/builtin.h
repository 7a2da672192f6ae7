/* SPDX-License-Identifier: MIT */
/* builtin.h - sinks that are linked into the library: ./configure --enable-builtin-sinks. */
#ifndef CORE_PLUGINS_BUILTIN_H
#define CORE_PLUGINS_BUILTIN_H

#include <stddef.h>

/* Returns the i-th descriptor, a struct sw_sink_plugin, or NULL after the last. */
const void *swi_builtin_at(size_t i);

#endif
