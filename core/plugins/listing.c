/* SPDX-License-Identifier: MIT */
#include "core/plugins/listing.h"

#include "core/plugins/folders.h"
#include "core/plugins/loader.h"
#include "core/plugins/register.h"
#include "core/text/vec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void swi_found_fini(struct swi_found *found)
{
    free(found->name);
    free(found->path);
    free(found->problem);
}

/* Moves found in; false, and it is freed, if out of memory. */
static bool add(struct swi_found_list *list, struct swi_found found)
{
    if (!found.name || !found.path || (!found.plugin && !found.problem) ||
        !swi_vec_room(&list->item, list->count, sizeof *list->item)) {
        swi_found_fini(&found);
        return false;
    }
    list->item[list->count++] = found;
    return true;
}

static bool add_registered(const struct swi_kind *kind, struct swi_found_list *list)
{
    const struct swi_descriptor *plugin;
    bool fine = true;
    for (size_t i = 0; fine && (plugin = swi_registered_at(kind, i)); i++)
        fine = add(list, (struct swi_found){.name = strdup(plugin->name),
                                            .path = strdup("built in"),
                                            .plugin = plugin});
    return fine;
}

/* The path is printed beside it. */
static const char *without_path(const char *problem, const char *path)
{
    size_t n = strlen(path);
    bool has = strncmp(problem, path, n) == 0 && problem[n] == ':';
    return has ? problem + n + 2 : problem;
}

/* In a tree of links, one file is in two folders of the search. */
static bool is_listed(const struct swi_found_list *list, const char *name, const char *path)
{
    struct stat file, other;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i].name, name) == 0 && stat(path, &file) == 0 &&
            stat(list->item[i].path, &other) == 0 && file.st_dev == other.st_dev &&
            file.st_ino == other.st_ino)
            return true;
    return false;
}

/* A plugin of another kind is in another list. */
static bool add_file(const struct swi_kind *kind, struct swi_found_list *list, const char *folder,
                     const char *name)
{
    char path[PATH_MAX];
    struct swi_plugin plugin = {0};
    SW_ERROR_SCOPE(err);
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    if (is_listed(list, name, path))
        return true;
    int rc = swi_plugin_trial_load(kind, folder, name, &err);
    if (rc == 0)
        rc = swi_plugin_load_from(kind, &plugin, folder, name, NULL, 0, &err);
    if (rc == SW_EINVAL)
        return true;
    if (rc == SW_EIO) {
        sw_error_free(&err);
        sw_error_set(&err, rc, "it is gone");
    }
    struct swi_found found = {.name = strdup(name),
                              .path = strdup(path),
                              .plugin = plugin.any,
                              .problem =
                                  rc < 0 ? strdup(without_path(sw_error_text(&err), path)) : NULL};
    swi_plugin_fini(&plugin);
    return add(list, found);
}

static bool add_folder(const struct swi_kind *kind, struct swi_found_list *list, const char *folder)
{
    struct swi_list names = swi_folder_names(folder);
    bool fine = true;
    for (size_t i = 0; i < names.count && fine; i++)
        fine = add_file(kind, list, folder, names.item[i]);
    swi_list_fini(&names);
    return fine;
}

static bool add_folders(const struct swi_kind *kind, struct swi_found_list *list,
                        const struct swi_settings *settings)
{
    struct swi_list folders = swi_folders(settings, NULL);
    bool fine = true;
    for (size_t i = 0; i < folders.count && fine; i++)
        fine = add_folder(kind, list, folders.item[i]);
    swi_list_fini(&folders);
    return fine;
}

/* By name; those of one name stay in the order of the search. Few: insertion is enough. */
static void sort(struct swi_found_list *list)
{
    struct swi_found *item = list->item;
    for (size_t i = 1; i < list->count; i++) {
        struct swi_found found = item[i];
        size_t k = i;
        for (; k > 0 && strcmp(item[k - 1].name, found.name) > 0; k--)
            item[k] = item[k - 1];
        item[k] = found;
    }
    for (size_t i = 1; i < list->count; i++)
        item[i].shadowed = strcmp(item[i - 1].name, item[i].name) == 0;
}

int swi_plugins_list(const struct swi_kind *kind, const struct swi_settings *settings,
                     struct swi_found_list *list, struct sw_error *err)
{
    *list = (struct swi_found_list){0};
    if (add_registered(kind, list) && add_folders(kind, list, settings)) {
        sort(list);
        return 0;
    }
    for (size_t i = 0; i < list->count; i++)
        swi_found_fini(&list->item[i]);
    free(list->item);
    return sw_error_set(err, SW_ENOMEM, "not enough memory to list the %ss", kind->word);
}
