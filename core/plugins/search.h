/* SPDX-License-Identifier: MIT */
/* search.h - finds a plugin by its name, and loads it. */
#ifndef CORE_PLUGINS_SEARCH_H
#define CORE_PLUGINS_SEARCH_H

#include "core/plugins/loader.h"
#include "core/plugins/settings.h"

/* Finds name among the registered plugins of a kind, then in settings->plugin_path,
 * $STEPWATCH_PLUGIN_PATH and the installed folder; checks file, folder and descriptor before
 * anything of it is called. On failure err lists every path tried, the loader's own text, and the
 * nearest name: the first file of that name is the one, also where it is refused. warn (may be
 * NULL) gets a warning about what the group may write to, for the user to read. */
int swi_plugin_load(const struct swi_kind *kind, struct swi_plugin *plugin,
                    const struct swi_settings *settings, const char *name, char *warn,
                    size_t warn_size, struct sw_error *err);
/* The same where loading may be the end of the process: a child process loads the plugin before,
 * and one that ends it, or does not come back, is refused. */
int swi_plugin_try(const struct swi_kind *kind, struct swi_plugin *plugin,
                   const struct swi_settings *settings, const char *name, struct sw_error *err);

#endif
