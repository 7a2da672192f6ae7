/* SPDX-License-Identifier: MIT */
/* folders.h - where sink plugins are looked for. */
#ifndef CORE_PLUGINS_FOLDERS_H
#define CORE_PLUGINS_FOLDERS_H

#include "core/plugins/settings.h"

/* A list of texts: paths of folders, or names. Zeroed is empty; owned. */
struct swi_list {
    size_t count;
    char **item;
};

/* Without memory the text is left out. */
void swi_list_add(struct swi_list *list, const char *text, size_t length);
void swi_list_fini(struct swi_list *list);

/* The folders in order of search: plugin_path, $STEPWATCH_PLUGIN_PATH, the installed folder. All
 * are absolute. ignored (may be NULL) gets the environment's entries that are not. */
struct swi_list swi_folders(const struct swi_settings *settings, struct swi_list *ignored);

/* The names of the plugins in a folder, whatever else is there; sorted. */
struct swi_list swi_folder_names(const char *folder);

#endif
