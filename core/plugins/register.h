/* SPDX-License-Identifier: MIT */
/* register.h - plugins that are part of the program: sw_sink_register(), sw_monitor_register(). */
#ifndef CORE_PLUGINS_REGISTER_H
#define CORE_PLUGINS_REGISTER_H

#include "core/plugins/kind.h"

/* Returns the registered plugin of a kind and a name, or NULL. user: set to what it was registered
 * with. */
const void *swi_registered_find(const struct swi_kind *kind, const char *name, void **user);

/* Returns the i-th one of a kind, or NULL after the last. */
const void *swi_registered_at(const struct swi_kind *kind, size_t i);

/* Makes the lock free in the child of a fork. */
void swi_registered_child(void);

#endif
