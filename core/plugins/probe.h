/* SPDX-License-Identifier: MIT */
/* probe.h - loads a plugin in a process of its own, for those who only want to look at it. */
#ifndef CORE_PLUGINS_PROBE_H
#define CORE_PLUGINS_PROBE_H

#include <stepwatch/error.h>

/* Whether FOLDER/NAME.so can be loaded without ending the program or holding it up: its
 * constructors run before anything of it can be checked. 0; or SW_ESINK with a clause in err ("it
 * crashes when it is loaded: …"). A plugin that is refused for another reason is none of those: 0.
 */
int swi_plugin_probe(const char *folder, const char *name, struct sw_error *err);

#endif
