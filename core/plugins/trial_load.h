/* SPDX-License-Identifier: MIT */
/* trial_load.h - tries to load a plugin in a separate process, for code that only inspects it. */
#ifndef CORE_PLUGINS_TRIAL_LOAD_H
#define CORE_PLUGINS_TRIAL_LOAD_H

#include "core/plugins/kind.h"

/* Whether FOLDER/NAME.so can be loaded without ending the program or holding it up: its
 * constructors run before anything of it can be checked. 0; or SW_ESINK with a clause in err ("it
 * crashes when it is loaded: …"). A plugin that is refused for another reason is none of those: 0.
 */
int swi_plugin_trial_load(const struct swi_kind *kind, const char *folder, const char *name,
                          struct sw_error *err);

#endif
