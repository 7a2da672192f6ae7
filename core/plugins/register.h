/* SPDX-License-Identifier: MIT */
/* register.h - sinks that are part of the program: sw_sink_register(). */
#ifndef CORE_PLUGINS_REGISTER_H
#define CORE_PLUGINS_REGISTER_H

#include <stepwatch/sink.h>

/* The registered sink of a name, or NULL. user: set to what it was registered with. */
const struct sw_sink_plugin *swi_registered_find(const char *name, void **user);

/* The i-th one, or NULL behind the last. */
const struct sw_sink_plugin *swi_registered_at(size_t i);

/* In the child of a fork: its lock is free. */
void swi_registered_child(void);

#endif
