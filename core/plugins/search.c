/* SPDX-License-Identifier: MIT */
#include "core/plugins/search.h"
#include "core/plugins/kind.h"
#include "core/plugins/option_parse.h"
#include "core/plugins/trust.h"
#include "core/text/names.h"
#include "core/text/printable.h"
#include "core/text/vec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the folders ----------------------------------------------------------------------------- */

void swi_search_begin(struct swi_search *search, const struct swi_settings *settings)
{
    *search = (struct swi_search){.settings = settings};
}

static void folders_list(struct swi_search *search)
{
    if (search->listed)
        return;
    search->listed = true;
    search->folders = swi_folders(search->settings, &search->ignored);
    search->entered = calloc(search->folders.count + 1, sizeof *search->entered);
}

/* Returns NULL if out of memory. */
static struct swi_trusted_folder *folder_enter(struct swi_search *search, size_t i)
{
    if (search->entered && !search->entered[i])
        search->entered[i] = swi_trust_enter(search->folders.item[i]);
    return search->entered ? search->entered[i] : NULL;
}

void swi_search_end(struct swi_search *search)
{
    for (size_t i = 0; search->entered && i < search->folders.count; i++)
        swi_trust_leave(search->entered[i]);
    free(search->entered);
    swi_list_fini(&search->folders);
    swi_list_fini(&search->ignored);
}

/* ---- one plugin ------------------------------------------------------------------------------ */

static struct swi_list names_known(const struct swi_kind *kind, const struct swi_list *folders)
{
    struct swi_list all = {0};
    const struct swi_descriptor *plugin;
    for (size_t i = 0; (plugin = swi_registered_at(kind, i)); i++)
        swi_list_add(&all, plugin->name, strlen(plugin->name));
    for (size_t i = 0; i < folders->count; i++) {
        struct swi_list names = swi_folder_names(folders->item[i]);
        for (size_t k = 0; k < names.count; k++)
            swi_list_add(&all, names.item[k], strlen(names.item[k]));
        swi_list_fini(&names);
    }
    return all;
}

/* Returns a folder that lists a file of this name, or NULL. */
static const char *folder_with(const struct swi_list *folders, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < folders->count && !found; i++) {
        struct swi_list names = swi_folder_names(folders->item[i]);
        for (size_t k = 0; k < names.count; k++)
            if (strcmp(names.item[k], name) == 0)
                found = folders->item[i];
        swi_list_fini(&names);
    }
    return found;
}

/* Of a file that its folder lists, and that was not found. Emulators with a root of their own use
 * it for absolute paths, and the real one for what lies below. */
static void present_add(const char *folder, const char *name, struct sw_error *err)
{
    sw_error_append(err,
                    ": %s/%s.so is there, but not where its folders lead one by one; if an "
                    "emulator runs the program (qemu -L ROOT), copy %s into its root",
                    folder, name, folder);
}

/* Names the paths that were tried. why: what was found wrong with each folder, "" where there was
 * just no such file. */
static void tried_add(const struct swi_search *search, const struct swi_list *why, const char *name,
                      const char *first, struct sw_error *err)
{
    const struct swi_list *folders = &search->folders, *ignored = &search->ignored;
    for (size_t i = 0; i < folders->count; i++) {
        sw_error_append(err, "%s%s/%s.so", i ? ", " : first, folders->item[i], name);
        if (i < why->count && *why->item[i])
            sw_error_append(err, " (%s)", why->item[i]);
    }
    for (size_t i = 0; i < ignored->count; i++)
        sw_error_append(err, "%s\"%s\"",
                        i ? ", " : "; ignored in STEPWATCH_PLUGIN_PATH, not absolute: ",
                        SWI_PRINTABLE(ignored->item[i]));
}

/* tried: as why of tried_add(). */
static int not_found(const struct swi_kind *kind, const struct swi_search *search,
                     const struct swi_list *tried, const char *name, struct sw_error *err)
{
    const char *present = folder_with(&search->folders, name);
    struct swi_list names = names_known(kind, &search->folders);
    const char *nearest =
        present ? NULL : swi_nearest(name, (const char *const *)names.item, names.count);
    sw_error_set(err, SW_ESINK, "%s %s was not found", kind->word, name);
    if (present)
        present_add(present, name, err);
    if (nearest)
        sw_error_append(err, "; did you mean %s?", nearest);
    tried_add(search, tried, name, nearest ? " Tried " : "; tried ", err);
    swi_list_fini(&names);
    return SW_ESINK;
}

/* From one folder; trial: a child process loads it before. */
static int load_tried(const struct swi_kind *kind, struct swi_plugin *plugin,
                      const struct swi_trusted_folder *folder, const char *name, bool trial,
                      char *warn, size_t warn_size, struct sw_error *err)
{
    if (!folder)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    if (trial && swi_plugin_trial_load(kind, swi_trust_name(folder), name, err) < 0)
        return sw_error_prefix(err, "%s/%s.so", swi_trust_name(folder), name);
    return swi_plugin_load_in(kind, plugin, folder, name, warn, warn_size, err);
}

static int cannot_load(const struct swi_kind *kind, const char *name, struct sw_error *err)
{
    const char *built =
        kind == &swi_kind_sink ? "build stepwatch with --enable-builtin-sinks=all, " : "";
    return sw_error_set(
        err, SW_ESINK,
        "%s %s: this program is linked statically, but a %s is a shared object and needs a "
        "shared C library: %slink the program "
        "without -static (you can keep libstepwatch.a: -Wl,-Bstatic -lstepwatch "
        "-Wl,-Bdynamic), or register the %s with sw_%s_register()",
        kind->word, name, kind->word, built, kind->word, kind->word);
}

__attribute__((nonnull(8))) static int
load_by_name(const struct swi_kind *kind, struct swi_plugin *plugin, struct swi_search *search,
             const char *name, bool trial, char *warn, size_t warn_size, struct sw_error *err)
{
    if (swi_linked_statically())
        return cannot_load(kind, name, err);
    struct swi_list tried = {0};
    int rc = SW_EIO;
    folders_list(search);
    for (size_t i = 0; i < search->folders.count && rc == SW_EIO; i++) {
        rc = load_tried(kind, plugin, folder_enter(search, i), name, trial, warn, warn_size, err);
        swi_list_add(&tried, sw_error_text(err), strlen(sw_error_text(err)));
        if (rc == SW_EIO)
            sw_error_free(err);
    }
    if (rc == SW_EIO)
        rc = not_found(kind, search, &tried, name, err);
    else if (rc < 0)
        sw_error_prefix(err, "%s %s", kind->word, name);
    swi_list_fini(&tried);
    return rc;
}

static int load(const struct swi_kind *kind, struct swi_plugin *plugin, struct swi_search *search,
                const char *name, bool trial, char *warn, size_t warn_size, struct sw_error *err)
{
    if (!swi_name_valid(name))
        return sw_error_set(
            err, SW_ESINK,
            "\"%s\" is not the name of a %s: expected a to z, 0 to 9 and _, at most 32, "
            "a letter first; put the folder of a %s into plugin_path",
            SWI_PRINTABLE(name), kind->word, kind->word);
    void *user;
    const void *registered = swi_registered_find(kind, name, &user);
    if (!registered)
        return load_by_name(kind, plugin, search, name, trial, warn, warn_size, err);
    *plugin = (struct swi_plugin){.any = registered, .user = user, .path = strdup("built in")};
    return plugin->path ? 0
                        : sw_error_set(err, SW_ENOMEM, "%s %s: not enough memory to load it",
                                       kind->word, name);
}

int swi_plugin_load(const struct swi_kind *kind, struct swi_plugin *plugin,
                    struct swi_search *search, const char *name, char *warn, size_t warn_size,
                    struct sw_error *err)
{
    return load(kind, plugin, search, name, false, warn, warn_size, err);
}

int swi_plugin_try(const struct swi_kind *kind, struct swi_plugin *plugin,
                   struct swi_search *search, const char *name, struct sw_error *err)
{
    return load(kind, plugin, search, name, true, NULL, 0, err);
}

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
