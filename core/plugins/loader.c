/* SPDX-License-Identifier: MIT */
/* A plugin is code, so it must be a regular file that only root or the user can have put there. */
#include "core/plugins/loader.h"

#include "core/files/shared_object.h"
#include "core/plugins/descriptor.h"
#include "core/plugins/trust.h"
#include "core/process/crash.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder may have plugins of all kinds. */
static bool is_other_kind(const struct swi_kind *kind, const struct swi_shared *shared)
{
    return !dlsym(shared->handle, kind->symbol) && dlsym(shared->handle, kind->other->symbol);
}

static int descriptor_take(const struct swi_kind *kind, struct swi_plugin *plugin,
                           const struct swi_shared *shared, const char *path, const char *name,
                           struct sw_error *err)
{
    const void *taken;
    char *copy = strdup(path);
    int rc = copy
                 ? swi_descriptor_take(kind, dlsym(shared->handle, kind->symbol), name, &taken, err)
                 : sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    if (rc >= 0)
        *plugin = (struct swi_plugin){.handle = shared->handle, .any = taken, .path = copy};
    else
        free(copy);
    return rc;
}

static int plugin_open(const struct swi_kind *kind, struct swi_plugin *plugin, int fd, bool fixed,
                       const char *path, const char *name, struct sw_error *err)
{
    struct swi_shared shared;
    swi_fault_blame(kind->word, name);
    int rc = swi_shared_object_load(&shared, fd, path, fixed, err);
    swi_fault_blame(NULL, NULL);
    if (rc < 0)
        return rc;
    if (is_other_kind(kind, &shared))
        rc = sw_error_set(err, SW_EINVAL, "it is a %s, not a %s: list it below %s",
                          kind->other->word, kind->word, kind->other->key);
    else
        rc = descriptor_take(kind, plugin, &shared, path, name, err);
    if (rc >= 0)
        swi_shared_object_keep(&shared);
    else
        swi_shared_object_drop(&shared);
    return rc;
}

int swi_plugin_load_in(const struct swi_kind *kind, struct swi_plugin *plugin,
                       const struct swi_trusted_folder *folder, const char *name, char *warn,
                       size_t warn_size, struct sw_error *err)
{
    char path[PATH_MAX], file[NAME_MAX + 1];
    struct swi_trusted found;
    sw_error_init(err);
    snprintf(path, sizeof path, "%s/%s.so", swi_trust_name(folder), name);
    snprintf(file, sizeof file, "%s.so", name);
    int rc = swi_trust_open(folder, file, &found, err), fd = rc;
    /* A missing folder is fine; one that cannot be read is reported. */
    if (rc == SW_EIO) {
        sw_error_free(err);
        if (found.reason && found.reason != ENOENT)
            sw_error_set(err, SW_EIO, "%s", strerror(found.reason));
        return SW_EIO;
    }
    if (warn && *found.warn)
        snprintf(warn, warn_size, "%s %s: %s: %s", kind->word, name, path, found.warn);
    if (fd >= 0) {
        rc = plugin_open(kind, plugin, fd, found.fixed, path, name, err);
        close(fd);
    }
    if (rc < 0)
        sw_error_prefix(err, "%s", path);
    return rc;
}

int swi_plugin_load_from(const struct swi_kind *kind, struct swi_plugin *plugin, const char *folder,
                         const char *name, char *warn, size_t warn_size, struct sw_error *err)
{
    struct swi_trusted_folder *entered = swi_trust_enter(folder);
    if (!entered)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    int rc = swi_plugin_load_in(kind, plugin, entered, name, warn, warn_size, err);
    swi_trust_leave(entered);
    return rc;
}

void swi_plugin_fini(struct swi_plugin *plugin)
{
    /* The code stays loaded, because threads and destructors of it may still run. */
    free(plugin->path);
    *plugin = (struct swi_plugin){0};
}
