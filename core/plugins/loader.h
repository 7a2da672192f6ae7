/* SPDX-License-Identifier: MIT */
/* loader.h - loads one sink plugin, if it is safe to. Opening it is pipeline.c's work. */
#ifndef CORE_PLUGINS_LOADER_H
#define CORE_PLUGINS_LOADER_H

#include <stepwatch/sink.h>

#include <stddef.h>

/* A sink plugin. handle is NULL for a registered one. It stays loaded until the process ends. */
struct swi_plugin {
    void *handle;
    const struct sw_sink_plugin *sink;
    void *user; /* of a registered one */
    char *path;
};

/* Loads the sink of a name from one folder, after file, folder and descriptor were checked: nothing
 * of it is called before. err says "PATH: problem"; SW_EIO with an empty err: there is none. warn
 * (may be NULL) gets a warning about what the group may write to, for the user to read. */
int swi_plugin_load_from(struct swi_plugin *plugin, const char *folder, const char *name,
                         char *warn, size_t warn_size, struct sw_error *err);

void swi_plugin_fini(struct swi_plugin *plugin);

#endif
