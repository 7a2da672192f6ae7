/* SPDX-License-Identifier: MIT */
/* loader.h - loads one plugin, if it is safe to, or tries whether it is. Opening it is the work of
 * whoever uses it. */
#ifndef CORE_PLUGINS_LOADER_H
#define CORE_PLUGINS_LOADER_H

#include "core/plugins/kind.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- trying ---------------------------------------------------------------------------------- */

/* Whether FOLDER/NAME.so can be loaded without ending the program or holding it up: its
 * constructors run before anything of it can be checked. 0; or SW_ESINK with a clause in err ("it
 * crashes when it is loaded: …"). A plugin that is refused for another reason is none of those: 0.
 */
int swi_plugin_trial_load(const struct swi_kind *kind, const char *folder, const char *name,
                          struct sw_error *err);

/* ---- loading --------------------------------------------------------------------------------- */

struct swi_trusted_folder;

/* A plugin. handle is NULL for a registered one. It stays loaded until the process ends. */
struct swi_plugin {
    void *handle;
    union { /* by its kind */
        const void *any;
        const struct sw_sink_plugin *sink;
        const struct sw_monitor_plugin *monitor;
    };
    void *user; /* of a registered one */
    char *path;
};

/* Loads the plugin of a name from one folder, after file, folder and descriptor were checked:
 * nothing of it is called before. err says "PATH: problem"; SW_EIO with an empty err: there is
 * none; SW_EINVAL: it is of another kind. warn (may be NULL) gets a warning about what the group
 * may write to, for the user to read. */
int swi_plugin_load_from(const struct swi_kind *kind, struct swi_plugin *plugin, const char *folder,
                         const char *name, char *warn, size_t warn_size, struct sw_error *err);
/* The same from a folder that was entered. */
int swi_plugin_load_in(const struct swi_kind *kind, struct swi_plugin *plugin,
                       const struct swi_trusted_folder *folder, const char *name, char *warn,
                       size_t warn_size, struct sw_error *err);

void swi_plugin_fini(struct swi_plugin *plugin);

/* ---- how the program was linked -------------------------------------------------------------- */

/* Returns whether the whole program is one file without a loader (cc -static). A plugin that it
 * loads would bring a second C library, and crash. */
bool swi_linked_statically(void);

#endif
