/* SPDX-License-Identifier: MIT */
/* loader.h - finds a sink by name and loads it, if it is safe to. Opening it is pipeline.c's work.
 */
#ifndef CORE_PLUGINS_LOADER_H
#define CORE_PLUGINS_LOADER_H

#include "core/plugins/settings.h"

#include <stepwatch/inspect.h>
#include <stepwatch/sink.h>

/* A sink plugin. handle is NULL for a registered one. It stays loaded until the process ends. */
struct swi_plugin {
    void *handle;
    const struct sw_sink_plugin *sink;
    char *path;
};

/* Finds name among the registered sinks, then in settings->plugin_path, $STEPWATCH_PLUGIN_PATH and
 * the installed folder; checks file, folder and descriptor before anything of it is called. On
 * failure err lists every path tried, the loader's own text, and the nearest name: the first file
 * of that name is the one, also where it is refused. warn (may be NULL) gets a warning about what
 * the group may write to, for the user to read. */
int swi_plugin_load(struct swi_plugin *plugin, const struct swi_settings *settings,
                    const char *name, char *warn, size_t warn_size, struct sw_error *err);
/* The same where loading may be the end of the process: a child process loads the plugin before,
 * and one that ends it, or does not come back, is refused. */
int swi_plugin_try(struct swi_plugin *plugin, const struct swi_settings *settings, const char *name,
                   struct sw_error *err);
void swi_plugin_fini(struct swi_plugin *plugin);

/* The same from one folder; err says "PATH: problem". SW_EIO with an empty err: there is none. */
int swi_plugin_load_from(struct swi_plugin *plugin, const char *folder, const char *name,
                         char *warn, size_t warn_size, struct sw_error *err);

/* Every sink that can be found in these folders: what sw_sinks_find() gives. */
int swi_plugins_find(const struct swi_settings *settings, struct sw_sinks **sinks,
                     struct sw_error *err);

#endif
