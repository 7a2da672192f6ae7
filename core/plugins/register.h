/* SPDX-License-Identifier: MIT */
/* register.h - sinks that are part of the program: sw_sink_register(). */
#ifndef CORE_PLUGINS_REGISTER_H
#define CORE_PLUGINS_REGISTER_H

#include <stepwatch/sink.h>

/* Returns the registered sink of a name, or NULL. user: set to the pointer that it was registered
 * with. */
const struct sw_sink_plugin *swi_registered_find(const char *name, void **user);

/* Returns the i-th registered sink, or NULL after the last. */
const struct sw_sink_plugin *swi_registered_at(size_t i);

/* Makes the lock free in the child of a fork. */
void swi_registered_child(void);

#endif
