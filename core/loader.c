/* SPDX-License-Identifier: MIT */
/* A plugin is code: what is loaded must be a regular file that only root or the user can have put
 * there. */
#include "core/loader.h"
#include "core/descriptor.h"
#include "core/nearest.h"
#include "core/register.h"
#include "core/shown.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where to look ------------------------------------------------------------------------------
 */

/* Folders in order of search. Owned. */
struct folders {
    size_t count;
    char **item;
};

static bool is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

static void folder_add(struct folders *folders, const char *path, size_t length)
{
    char **item = realloc(folders->item, (folders->count + 1) * sizeof(*item));
    if (!item)
        return;
    folders->item = item;
    item[folders->count] = strndup(path, length);
    folders->count += item[folders->count] != NULL;
}

/* Absolute entries only: an empty or relative one would mean wherever the program was started. */
static void folders_of_environment(struct folders *folders)
{
    const char *at = is_privileged() ? NULL : secure_getenv("STEPWATCH_PLUGIN_PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        if (*at == '/')
            folder_add(folders, at, n);
        at += n + (at[n] == ':');
    }
}

static struct folders folders_of(const struct swi_settings *settings)
{
    struct folders folders = {0};
    for (size_t i = 0; i < settings->plugin_path_count; i++)
        folder_add(&folders, settings->plugin_path[i], strlen(settings->plugin_path[i]));
    folders_of_environment(&folders);
    folder_add(&folders, SINKDIR, strlen(SINKDIR));
    return folders;
}

static void folders_fini(struct folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->item[i]);
    free(folders->item);
}

/* ---- what may be loaded -------------------------------------------------------------------------
 */

static int owner_check(const struct stat *st, const char *what, struct sw_error *err)
{
    if (st->st_uid == 0 || st->st_uid == geteuid())
        return 0;
    return sw_error_set(
        err, SW_ESINK,
        "%s belongs to user %u, expected root or user %u: whoever owns it could put "
        "code into this program",
        what, (unsigned)st->st_uid, (unsigned)geteuid());
}

static int mode_check(const struct stat *st, const char *what, char *warn, size_t warn_size,
                      struct sw_error *err)
{
    if (st->st_mode & S_IWOTH)
        return sw_error_set(err, SW_ESINK, "%s is writable by everybody: chmod o-w it", what);
    if (!(st->st_mode & S_IWGRP))
        return 0;
    if (is_privileged())
        return sw_error_set(err, SW_ESINK,
                            "%s is writable by its group, which a setuid program does not accept: "
                            "chmod g-w it",
                            what);
    if (warn && !*warn)
        snprintf(warn, warn_size, "%s is writable by its group: chmod g-w it", what);
    return 0;
}

static int trust_check(int fd, const char *what, char *warn, size_t warn_size, struct sw_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return sw_error_set(err, SW_ESINK, "%s cannot be looked at: %s", what, strerror(errno));
    int rc = owner_check(&st, what, err);
    return rc < 0 ? rc : mode_check(&st, what, warn, warn_size, err);
}

/* Text for what is no ELF file; NULL where it looks like one. */
static const char *elf_problem(int fd, off_t size)
{
    char magic[4];
    if (size == 0)
        return "it is empty";
    if (pread(fd, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, "\177ELF", 4) != 0)
        return "it is no shared object (no ELF file)";
    return NULL;
}

static int file_check(int fd, char *warn, size_t warn_size, struct sw_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return sw_error_set(err, SW_ESINK, "the file cannot be looked at: %s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return sw_error_set(err, SW_ESINK, "it is a directory, expected a shared object");
    if (!S_ISREG(st.st_mode))
        return sw_error_set(err, SW_ESINK, "it is no regular file");
    int rc = trust_check(fd, "the file", warn, warn_size, err);
    const char *problem = rc < 0 ? NULL : elf_problem(fd, st.st_size);
    return problem ? sw_error_set(err, SW_ESINK, "%s", problem) : rc;
}

/* ---- loading ------------------------------------------------------------------------------------
 */

/* By its path, not by the descriptor that was checked: the loader knows objects by name, and a
 * descriptor's name in /proc is soon another file's. Who could exchange the file in between owns
 * the folder, and is trusted already. */
static int handle_open(const char *path, void **handle, struct sw_error *err)
{
    /* Local: every plugin exports the same symbol, and none may see another's. */
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*handle)
        return 0;
    const char *said = dlerror();
    size_t n = strlen(path);
    if (said && strncmp(said, path, n) == 0 && strncmp(said + n, ": ", 2) == 0)
        said += n + 2;
    return sw_error_set(err, SW_ESINK, "the loader says: %s", said ? said : "nothing");
}

static int plugin_open(struct swi_plugin *plugin, const char *path, const char *name,
                       struct sw_error *err)
{
    void *handle;
    int rc = handle_open(path, &handle, err);
    if (rc < 0)
        return rc;
    const struct sw_sink_plugin *sink = dlsym(handle, "sw_sink_plugin");
    rc = swi_descriptor_check(sink, name, err);
    if (rc < 0) {
        dlclose(handle);
        return rc;
    }
    *plugin = (struct swi_plugin){.handle = handle, .sink = sink, .path = strdup(path)};
    return plugin->path ? 0 : sw_error_set(err, SW_ENOMEM, "no memory");
}

/* SW_EIO where there is no such file; SW_ESINK where there is one that is refused. */
static int load_from(struct swi_plugin *plugin, const char *folder, const char *name, char *warn,
                     size_t warn_size, struct sw_error *err)
{
    char path[PATH_MAX], file[NAME_MAX + 1];
    snprintf(file, sizeof file, "%s.so", name);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int dir = open(folder, O_DIRECTORY | O_CLOEXEC | O_RDONLY);
    int fd = dir < 0 ? -1 : openat(dir, file, O_NOFOLLOW | O_CLOEXEC | O_RDONLY | O_NONBLOCK);
    int found = errno;
    int rc = fd < 0 ? SW_EIO : trust_check(dir, "its folder", warn, warn_size, err);
    if (fd < 0 && found == ELOOP)
        rc = sw_error_set(err, SW_ESINK, "it is a symbolic link, which is not followed");
    else if (fd < 0 && found != ENOENT && found != ENOTDIR)
        rc = sw_error_set(err, SW_ESINK, "it cannot be opened: %s", strerror(found));
    if (rc == 0)
        rc = file_check(fd, warn, warn_size, err);
    if (rc == 0)
        rc = plugin_open(plugin, path, name, err);
    if (fd >= 0)
        close(fd);
    if (dir >= 0)
        close(dir);
    return rc == SW_EIO ? rc : rc < 0 ? (sw_error_prefix(err, "%s", path), rc) : rc;
}

/* ---- names that are near ------------------------------------------------------------------------
 */

/* The name of a file NAME.so, or NULL; the caller's to free. */
static char *name_of_file(const char *file)
{
    size_t n = strlen(file);
    char *name = n > 3 && strcmp(file + n - 3, ".so") == 0 ? strndup(file, n - 3) : NULL;
    if (name && !swi_name_valid(name)) {
        free(name);
        name = NULL;
    }
    return name;
}

static void names_of_folder(struct folders *names, const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char *name = name_of_file(entry->d_name);
        if (name)
            folder_add(names, name, strlen(name));
        free(name);
    }
    if (dir)
        closedir(dir);
}

static struct folders names_known(const struct folders *folders)
{
    struct folders names = {0};
    const struct sw_sink_plugin *plugin;
    for (size_t i = 0; (plugin = swi_registered_at(i)); i++)
        folder_add(&names, plugin->name, strlen(plugin->name));
    for (size_t i = 0; i < folders->count; i++)
        names_of_folder(&names, folders->item[i]);
    return names;
}

static int not_found(const struct folders *folders, const char *name, struct sw_error *err)
{
    struct folders names = names_known(folders);
    const char *nearest = swi_nearest(name, (const char *const *)names.item, names.count);
    char tried[4096] = "";
    for (size_t i = 0; i < folders->count; i++) {
        size_t used = strlen(tried);
        snprintf(tried + used, sizeof tried - used, "%s%s/%s.so", i ? ", " : "", folders->item[i],
                 name);
    }
    sw_error_set(err, SW_ESINK, "sink %s was not found%s%s%s; tried %s", name,
                 nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : "",
                 tried);
    folders_fini(&names);
    return SW_ESINK;
}

int swi_plugin_load(struct swi_plugin *plugin, const struct swi_settings *settings,
                    const char *name, char *warn, size_t warn_size, struct sw_error *err)
{
    if (!swi_name_valid(name))
        return sw_error_set(
            err, SW_ESINK,
            "\"%s\" is no sink's name: expected a to z, 0 to 9 and _, at most 32, a "
            "letter first; a sink's folder goes into plugin_path",
            SWI_SHOWN(name));
    const struct sw_sink_plugin *registered = swi_registered_find(name);
    if (registered) {
        *plugin = (struct swi_plugin){.sink = registered, .path = strdup("built in")};
        return 0;
    }
    struct folders folders = folders_of(settings);
    int rc = SW_EIO;
    for (size_t i = 0; i < folders.count && rc == SW_EIO; i++)
        rc = load_from(plugin, folders.item[i], name, warn, warn_size, err);
    if (rc == SW_EIO)
        rc = not_found(&folders, name, err);
    else if (rc < 0)
        sw_error_prefix(err, "sink %s", name);
    folders_fini(&folders);
    return rc;
}

/* The code stays loaded: threads and destructors of it may still run. */
void swi_plugin_fini(struct swi_plugin *plugin)
{
    free(plugin->path);
    *plugin = (struct swi_plugin){0};
}

/* ---- all of them --------------------------------------------------------------------------------
 */

static struct sw_sink_found *found_add(struct sw_sinks *sinks, const char *name, const char *path)
{
    struct sw_sink_found *item =
        realloc((void *)sinks->item, (sinks->count + 1) * sizeof *sinks->item);
    if (!item)
        return NULL;
    sinks->item = item;
    item[sinks->count] = (struct sw_sink_found){.name = strdup(name), .path = strdup(path)};
    for (size_t i = 0; i < sinks->count; i++)
        item[sinks->count].shadowed |= strcmp(item[i].name, name) == 0;
    return &item[sinks->count++];
}

static void found_in_folder(struct sw_sinks *sinks, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct swi_plugin plugin = {0};
    struct sw_error err = {0};
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    struct sw_sink_found *found = found_add(sinks, name, path);
    if (!found)
        return;
    if (load_from(&plugin, folder, name, NULL, 0, &err) < 0)
        found->problem = strdup(err.text);
    found->plugin = plugin.sink;
    swi_plugin_fini(&plugin);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void folder_list(struct sw_sinks *sinks, const char *folder)
{
    struct folders names = {0};
    names_of_folder(&names, folder);
    if (names.count)
        qsort(names.item, names.count, sizeof(*names.item), by_text);
    for (size_t i = 0; i < names.count; i++)
        found_in_folder(sinks, folder, names.item[i]);
    folders_fini(&names);
}

int swi_plugins_find(const struct swi_settings *settings, struct sw_sinks **found,
                     struct sw_error *err)
{
    struct sw_sinks *sinks = calloc(1, sizeof *sinks);
    const struct sw_sink_plugin *plugin;
    if (!sinks)
        return sw_error_set(err, SW_ENOMEM, "no memory");
    for (size_t i = 0; (plugin = swi_registered_at(i)); i++) {
        struct sw_sink_found *item = found_add(sinks, plugin->name, "built in");
        if (item)
            item->plugin = plugin;
    }
    struct folders folders = folders_of(settings);
    for (size_t i = 0; i < folders.count; i++)
        folder_list(sinks, folders.item[i]);
    folders_fini(&folders);
    *found = sinks;
    return (int)sinks->count;
}

void sw_sinks_free(struct sw_sinks *sinks)
{
    if (!sinks)
        return;
    for (size_t i = 0; i < sinks->count; i++) {
        free((void *)sinks->item[i].name);
        free((void *)sinks->item[i].path);
        free((void *)sinks->item[i].problem);
    }
    free((void *)sinks->item);
    free(sinks);
}
