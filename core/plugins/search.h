/* SPDX-License-Identifier: MIT */
/* search.h - finds a sink by its name and loads it. */
#ifndef CORE_PLUGINS_SEARCH_H
#define CORE_PLUGINS_SEARCH_H

#include "core/plugins/loader.h"
#include "core/plugins/settings.h"

/* Finds name among the registered sinks, then in settings->plugin_path, $STEPWATCH_PLUGIN_PATH and
 * the installed folder. Checks file, folder and descriptor before it calls anything in the plugin.
 * The first file of that name is used, even if it is refused. On failure err lists every path that
 * was tried, the loader's message, and the nearest name. warn (may be NULL) gets a warning for the
 * user about what the group may write to. */
int swi_plugin_load(struct swi_plugin *plugin, const struct swi_settings *settings,
                    const char *name, char *warn, size_t warn_size, struct sw_error *err);
/* Like swi_plugin_load(), but loads the plugin in a child process first, and refuses it if it ends
 * that process or does not return. */
int swi_plugin_try(struct swi_plugin *plugin, const struct swi_settings *settings, const char *name,
                   struct sw_error *err);

#endif
