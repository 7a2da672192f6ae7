/* SPDX-License-Identifier: MIT */
/* builtin.h - sinks that are linked into the library: ./configure --enable-builtin-sinks. */
#ifndef CORE_PLUGINS_BUILTIN_H
#define CORE_PLUGINS_BUILTIN_H

#include <stepwatch/sink.h>

/* Returns the i-th descriptor, or NULL after the last. */
const struct sw_sink_plugin *swi_builtin_at(size_t i);

#endif
