/* SPDX-License-Identifier: MIT */
#include "core/plugins/listing.h"

#include "core/plugins/folders.h"
#include "core/plugins/loader.h"
#include "core/plugins/probe.h"
#include "core/plugins/register.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void found_fini(struct sw_sink_found *found)
{
    free((void *)found->name);
    free((void *)found->path);
    free((void *)found->problem);
}

/* Takes over found. Returns false and frees it if out of memory. */
static bool add(struct sw_sinks *sinks, struct sw_sink_found found)
{
    struct sw_sink_found *item =
        realloc((void *)sinks->item, (sinks->count + 1) * sizeof *sinks->item);
    if (item)
        sinks->item = item;
    if (!item || !found.name || !found.path || (!found.plugin && !found.problem)) {
        found_fini(&found);
        return false;
    }
    item[sinks->count++] = found;
    return true;
}

static bool add_registered(struct sw_sinks *sinks)
{
    const struct sw_sink_plugin *plugin;
    bool fine = true;
    for (size_t i = 0; fine && (plugin = swi_registered_at(i)); i++)
        fine = add(sinks, (struct sw_sink_found){.name = strdup(plugin->name),
                                                 .path = strdup("built in"),
                                                 .plugin = plugin});
    return fine;
}

static bool add_file(struct sw_sinks *sinks, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct swi_plugin plugin = {0};
    SW_ERROR_SCOPE(err);
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    int rc = swi_plugin_probe(folder, name, &err);
    if (rc == 0)
        rc = swi_plugin_load_from(&plugin, folder, name, NULL, 0, &err);
    if (rc == SW_EIO) {
        sw_error_free(&err);
        sw_error_set(&err, rc, "it is gone");
    }
    const char *problem = sw_error_text(&err);
    size_t n = strlen(path);
    if (strncmp(problem, path, n) == 0 && problem[n] == ':')
        problem += n + 2; /* the path is printed beside it */
    struct sw_sink_found found = {.name = strdup(name),
                                  .path = strdup(path),
                                  .plugin = plugin.sink,
                                  .problem = rc < 0 ? strdup(problem) : NULL};
    swi_plugin_fini(&plugin);
    return add(sinks, found);
}

static bool add_folder(struct sw_sinks *sinks, const char *folder)
{
    struct swi_list names = swi_folder_names(folder);
    bool fine = true;
    for (size_t i = 0; i < names.count && fine; i++)
        fine = add_file(sinks, folder, names.item[i]);
    swi_list_fini(&names);
    return fine;
}

static bool add_folders(struct sw_sinks *sinks, const struct swi_settings *settings)
{
    struct swi_list folders = swi_folders(settings, NULL);
    bool fine = true;
    for (size_t i = 0; i < folders.count && fine; i++)
        fine = add_folder(sinks, folders.item[i]);
    swi_list_fini(&folders);
    return fine;
}

/* Sorts by name. Sinks with the same name stay in the order of the search. There are few, so
 * insertion sort is enough. */
static void sort(struct sw_sinks *sinks)
{
    struct sw_sink_found *item = (struct sw_sink_found *)sinks->item;
    for (size_t i = 1; i < sinks->count; i++) {
        struct sw_sink_found found = item[i];
        size_t k = i;
        for (; k > 0 && strcmp(item[k - 1].name, found.name) > 0; k--)
            item[k] = item[k - 1];
        item[k] = found;
    }
    for (size_t i = 1; i < sinks->count; i++)
        item[i].shadowed = strcmp(item[i - 1].name, item[i].name) == 0;
}

int swi_plugins_list(const struct swi_settings *settings, struct sw_sinks **found,
                     struct sw_error *err)
{
    struct sw_sinks *sinks = calloc(1, sizeof *sinks);
    if (!sinks || !add_registered(sinks) || !add_folders(sinks, settings)) {
        sw_sinks_free(sinks);
        return sw_error_set(err, SW_ENOMEM, "not enough memory to list the sinks");
    }
    sort(sinks);
    *found = sinks;
    return (int)sinks->count;
}

void sw_sinks_free(struct sw_sinks *sinks)
{
    for (size_t i = 0; sinks && i < sinks->count; i++)
        found_fini((struct sw_sink_found *)&sinks->item[i]);
    if (sinks)
        free((void *)sinks->item);
    free(sinks);
}
