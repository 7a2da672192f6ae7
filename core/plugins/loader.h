/* SPDX-License-Identifier: MIT */
/* loader.h - loads one sink plugin, if that is safe. pipeline.c opens it. */
#ifndef CORE_PLUGINS_LOADER_H
#define CORE_PLUGINS_LOADER_H

#include <stepwatch/sink.h>

#include <stddef.h>

/* A sink plugin. handle is NULL for a registered one. A plugin stays loaded until the process ends.
 */
struct swi_plugin {
    void *handle;
    const struct sw_sink_plugin *sink;
    void *user; /* of a registered sink */
    char *path;
};

/* Loads the sink of a name from one folder, after file, folder and descriptor were checked. None of
 * its code but constructors runs before. err is set to "PATH: problem", or left empty with SW_EIO
 * if there is no such file. warn (may be NULL) gets a warning for the user about what the group may
 * write to. */
int swi_plugin_load_from(struct swi_plugin *plugin, const char *folder, const char *name,
                         char *warn, size_t warn_size, struct sw_error *err);

void swi_plugin_fini(struct swi_plugin *plugin);

#endif
