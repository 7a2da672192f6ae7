/* SPDX-License-Identifier: MIT */
/* search.h - finds a plugin by its name, and loads it. */
#ifndef CORE_PLUGINS_SEARCH_H
#define CORE_PLUGINS_SEARCH_H

#include "core/plugins/kind.h"
#include "core/plugins/settings.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- one plugin ------------------------------------------------------------------------------ */

/* Loads one plugin, if it is safe to, or tries whether it is. Opening it is the work of
 * whoever uses it. */

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

/* ---- the folders in which sink plugins are searched ------------------------------------------ */

/* A list of texts: paths of folders, or names. Zero-initialised, it is empty. It owns its items. */
struct swi_list {
    size_t count;
    char **item;
};

/* Appends a text. It is left out if memory runs out. */
void swi_list_add(struct swi_list *list, const char *text, size_t length);
void swi_list_fini(struct swi_list *list);

/* Returns the folders in the order of the search: plugin_path, $STEPWATCH_PLUGIN_PATH, the
 * folder beside the library if it was moved, the installed folder. All are absolute. ignored (may
 * be NULL) gets the entries of the environment variable that are not absolute. */
struct swi_list swi_folders(const struct swi_settings *settings, struct swi_list *ignored);

/* Returns the names of the plugins in a folder, sorted. Other files are left out. */
struct swi_list swi_folder_names(const char *folder);

/* The folders in which plugins are looked for. Each is entered once, when the first plugin is
 * looked for in it. */
struct swi_search {
    const struct swi_settings *settings;
    bool listed; /* the folders are known */
    struct swi_list folders, ignored;
    struct swi_trusted_folder **entered; /* one for each folder, or NULL */
};

/* settings: borrowed until the end. */
void swi_search_begin(struct swi_search *search, const struct swi_settings *settings);
void swi_search_end(struct swi_search *search);

/* Finds name among the registered plugins of a kind, then in the folders of the
 * search: plugin_path, $STEPWATCH_PLUGIN_PATH and the installed folder; checks file, folder and
 * descriptor before anything of it is called. On failure err lists every path tried, the loader's
 * own text, and the nearest name: the first file of that name is the one, also where it is refused.
 * warn (may be NULL) gets a warning about what the group may write to, for the user to read. */
int swi_plugin_load(const struct swi_kind *kind, struct swi_plugin *plugin,
                    struct swi_search *search, const char *name, char *warn, size_t warn_size,
                    struct sw_error *err);
/* The same where loading may be the end of the process: a child process loads the plugin before,
 * and one that ends it, or does not come back, is refused. */
int swi_plugin_try(const struct swi_kind *kind, struct swi_plugin *plugin,
                   struct swi_search *search, const char *name, struct sw_error *err);

/* ---- all plugins of a kind that can be named ------------------------------------------------- */

/* One that was found. The texts are whoever's who has the list. */
struct swi_found {
    char *name;
    char *path;
    const void *plugin; /* NULL: it was refused, and problem says why */
    char *problem;
    bool shadowed;
};

/* By name; of equal names, the one in use first. */
struct swi_found_list {
    size_t count;
    struct swi_found *item;
};

/* Finds registered plugins, and those in all folders of the search. 0 or SW_ENOMEM. The items are
 * the caller's to free. */
int swi_plugins_list(const struct swi_kind *kind, const struct swi_settings *settings,
                     struct swi_found_list *list, struct sw_error *err);
void swi_found_fini(struct swi_found *found);

#endif
