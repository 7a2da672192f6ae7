/* SPDX-License-Identifier: MIT */
/* A plugin is code: what is loaded must be a regular file that only root or the user can have put
 * there. */
#include "core/plugins/loader.h"
#include "core/files/shared.h"
#include "core/plugins/descriptor.h"
#include "core/process/fault.h"
#include "core/plugins/folders.h"
#include "core/process/linked.h"
#include "core/text/nearest.h"
#include "core/plugins/register.h"
#include "core/text/printable.h"
#include "core/plugins/probe.h"
#include "core/plugins/trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- loading ------------------------------------------------------------------------------------
 */

static int descriptor_take(struct swi_plugin *plugin, const struct swi_shared *shared,
                           const char *path, const char *name, struct sw_error *err)
{
    const struct sw_sink_plugin *sink = dlsym(shared->handle, "sw_sink_plugin");
    int rc = swi_descriptor_check(sink, name, err);
    char *copy = rc < 0 ? NULL : strdup(path);
    if (rc >= 0 && !copy)
        rc = sw_error_set(err, SW_ENOMEM, "no memory to load it");
    if (rc >= 0)
        *plugin = (struct swi_plugin){.handle = shared->handle, .sink = sink, .path = copy};
    return rc;
}

static int plugin_open(struct swi_plugin *plugin, int fd, bool fixed, const char *path,
                       const char *name, struct sw_error *err)
{
    struct swi_shared shared;
    swi_fault_blame(name);
    int rc = swi_shared_load(&shared, fd, path, fixed, err);
    swi_fault_blame(NULL);
    if (rc < 0)
        return rc;
    rc = descriptor_take(plugin, &shared, path, name, err);
    if (rc >= 0)
        swi_shared_keep(&shared);
    else
        swi_shared_drop(&shared);
    return rc;
}

int swi_plugin_load_from(struct swi_plugin *plugin, const char *folder, const char *name,
                         char *warn, size_t warn_size, struct sw_error *err)
{
    char path[PATH_MAX], file[NAME_MAX + 1];
    struct swi_trusted found;
    sw_error_clear(err);
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    snprintf(file, sizeof file, "%s.so", name);
    int rc = swi_trust_open(folder, file, &found, err), fd = rc;
    /* A folder that nobody made is no mistake; one that cannot be read is worth a word. */
    if (rc == SW_EIO) {
        sw_error_clear(err);
        if (found.reason && found.reason != ENOENT)
            sw_error_set(err, SW_EIO, "%s", strerror(found.reason));
        return SW_EIO;
    }
    if (warn && *found.warn)
        snprintf(warn, warn_size, "sink %s: %s: %s", name, path, found.warn);
    if (fd >= 0) {
        rc = plugin_open(plugin, fd, found.fixed, path, name, err);
        close(fd);
    }
    if (rc < 0)
        sw_error_prefix(err, "%s", path);
    return rc;
}

void swi_plugin_fini(struct swi_plugin *plugin)
{
    /* The code stays loaded: threads and destructors of it may still run. */
    free(plugin->path);
    *plugin = (struct swi_plugin){0};
}

/* ---- by name ------------------------------------------------------------------------------------
 */

static struct swi_list names_known(const struct swi_list *folders)
{
    struct swi_list all = {0};
    const struct sw_sink_plugin *plugin;
    for (size_t i = 0; (plugin = swi_registered_at(i)); i++)
        swi_list_add(&all, plugin->name, strlen(plugin->name));
    for (size_t i = 0; i < folders->count; i++) {
        struct swi_list names = swi_folder_names(folders->item[i]);
        for (size_t k = 0; k < names.count; k++)
            swi_list_add(&all, names.item[k], strlen(names.item[k]));
        swi_list_fini(&names);
    }
    return all;
}

/* Appends; what does not fit is cut. */
__attribute__((format(printf, 2, 3))) static void append(struct sw_error *err, const char *format,
                                                         ...)
{
    size_t used = strlen(err->text);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text + used, sizeof err->text - used, format, args);
    va_end(args);
}

/* tried: what was found wrong with each folder, "" where there was just no such file. */
static int not_found(const struct swi_list *folders, const struct swi_list *tried,
                     const struct swi_list *ignored, const char *name, struct sw_error *err)
{
    struct swi_list names = names_known(folders);
    const char *nearest = swi_nearest(name, (const char *const *)names.item, names.count);
    sw_error_set(err, SW_ESINK, "sink %s was not found", name);
    if (nearest)
        append(err, "; did you mean %s?", nearest);
    for (size_t i = 0; i < folders->count; i++) {
        const char *why = i < tried->count ? tried->item[i] : "";
        append(err, "%s%s/%s.so",
               i         ? ", "
               : nearest ? " Tried "
                         : "; tried ",
               folders->item[i], name);
        if (*why)
            append(err, " (%s)", why);
    }
    for (size_t i = 0; i < ignored->count; i++)
        append(err, "%s\"%s\"", i ? ", " : "; ignored in STEPWATCH_PLUGIN_PATH, not absolute: ",
               SWI_SHOWN(ignored->item[i]));
    swi_list_fini(&names);
    return SW_ESINK;
}

/* From one folder; trial: a child process loads it before. */
static int load_tried(struct swi_plugin *plugin, const char *folder, const char *name, bool trial,
                      char *warn, size_t warn_size, struct sw_error *err)
{
    if (trial && swi_trial(folder, name, err) < 0) {
        sw_error_prefix(err, "%s/%s.so", folder, name);
        return SW_ESINK;
    }
    return swi_plugin_load_from(plugin, folder, name, warn, warn_size, err);
}

__attribute__((nonnull(7))) static int load_by_name(struct swi_plugin *plugin,
                                                    const struct swi_settings *settings,
                                                    const char *name, bool trial, char *warn,
                                                    size_t warn_size, struct sw_error *err)
{
    if (swi_linked_statically())
        return sw_error_set(err, SW_ESINK,
                            "sink %s: this program is linked statically, and a sink is a shared "
                            "object that needs the C library as one too: link it without -static "
                            "(libstepwatch.a may stay: -Wl,-Bstatic -lstepwatch -Wl,-Bdynamic), or "
                            "make the sink part of it by sw_sink_register()",
                            name);
    struct swi_list ignored = {0}, tried = {0};
    struct swi_list folders = swi_folders(settings, &ignored);
    int rc = SW_EIO;
    for (size_t i = 0; i < folders.count && rc == SW_EIO; i++) {
        rc = load_tried(plugin, folders.item[i], name, trial, warn, warn_size, err);
        swi_list_add(&tried, err->text, strlen(err->text));
    }
    if (rc == SW_EIO)
        rc = not_found(&folders, &tried, &ignored, name, err);
    else if (rc < 0)
        sw_error_prefix(err, "sink %s", name);
    swi_list_fini(&folders);
    swi_list_fini(&ignored);
    swi_list_fini(&tried);
    return rc;
}

static int load(struct swi_plugin *plugin, const struct swi_settings *settings, const char *name,
                bool trial, char *warn, size_t warn_size, struct sw_error *err)
{
    if (!swi_name_valid(name))
        return sw_error_set(err, SW_ESINK,
                            "\"%s\" is no sink's name: expected a to z, 0 to 9 and _, at most 32, "
                            "a letter first; the folder of a sink goes into plugin_path",
                            SWI_SHOWN(name));
    const struct sw_sink_plugin *registered = swi_registered_find(name);
    if (!registered)
        return load_by_name(plugin, settings, name, trial, warn, warn_size, err);
    *plugin = (struct swi_plugin){.sink = registered, .path = strdup("built in")};
    return plugin->path ? 0 : sw_error_set(err, SW_ENOMEM, "sink %s: no memory to load it", name);
}

int swi_plugin_load(struct swi_plugin *plugin, const struct swi_settings *settings,
                    const char *name, char *warn, size_t warn_size, struct sw_error *err)
{
    return load(plugin, settings, name, false, warn, warn_size, err);
}

int swi_plugin_try(struct swi_plugin *plugin, const struct swi_settings *settings, const char *name,
                   struct sw_error *err)
{
    return load(plugin, settings, name, true, NULL, 0, err);
}
