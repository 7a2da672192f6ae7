/* SPDX-License-Identifier: MIT */
/* folders.h - the folders in which sink plugins are searched. */
#ifndef CORE_PLUGINS_FOLDERS_H
#define CORE_PLUGINS_FOLDERS_H

#include "core/plugins/settings.h"

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

#endif
