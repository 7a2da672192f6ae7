/* SPDX-License-Identifier: MIT */
/* probe.h - tries to load a plugin in a separate process, for code that only inspects it. */
#ifndef CORE_PLUGINS_PROBE_H
#define CORE_PLUGINS_PROBE_H

#include <stepwatch/error.h>

/* Checks whether FOLDER/NAME.so can be loaded without ending or blocking the program: its
 * constructors run before anything in it can be checked. Returns 0, or SW_ESINK with a clause in
 * err ("it crashes when it is loaded: …"). Returns 0 also for a plugin that is refused for another
 * reason. */
int swi_plugin_probe(const char *folder, const char *name, struct sw_error *err);

#endif
