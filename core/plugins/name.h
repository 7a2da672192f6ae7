/* SPDX-License-Identifier: MIT */
/* name.h - what sinks and options may be called. */
#ifndef CORE_PLUGINS_NAME_H
#define CORE_PLUGINS_NAME_H

#include <stdbool.h>

/* Whether a text is a sink's or option's name: [a-z][a-z0-9_]{0,31}. */
bool swi_name_valid(const char *name);

#endif
