/* SPDX-License-Identifier: MIT */
/* name.h - valid names of sinks and options. */
#ifndef CORE_PLUGINS_NAME_H
#define CORE_PLUGINS_NAME_H

#include <stdbool.h>

/* Returns whether a text is a valid name of a sink or an option: [a-z][a-z0-9_]{0,31}. */
bool swi_name_valid(const char *name);

#endif
