/* SPDX-License-Identifier: MIT */
#include "tools/functions/profile_source.h"
#include "core/text/parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- a folder ---- */

static int is_profile(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && swi_ends(entry->d_name, ".functions");
}

static int64_t changed_ns(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return -1;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

/* Returns the newest profile of a folder, or NULL. */
static char *newest(const char *folder, size_t *others)
{
    struct dirent **entry;
    char *best = NULL;
    int64_t best_ns = -1;
    int count = scandir(folder, &entry, is_profile, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0)
            path = NULL;
        int64_t ns = path ? changed_ns(path) : -1;
        if (ns > best_ns) {
            free(best);
            best = path;
            best_ns = ns;
        } else {
            free(path);
        }
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    *others = count > 0 ? (size_t)count - 1 : 0;
    return best;
}

static int path_choose(struct profile_source *source, const char *path, struct sw_error *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return sw_error_set(err, SW_EIO, "%s: %s", path, strerror(errno));
    bool folder = S_ISDIR(status.st_mode);
    source->path = folder ? newest(path, &source->others) : strdup(path);
    if (!source->path)
        return folder ? sw_error_set(err, SW_EINVAL,
                                     "%s: there is no function profile (*.functions)", path)
                      : sw_error_set(err, SW_ENOMEM, "not enough memory");
    const char *slash = strrchr(source->path, '/');
    source->folder =
        slash ? strndup(source->path, (size_t)(slash - source->path) + (slash == source->path))
              : strdup(".");
    return source->folder ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}

/* ---- a file ---- */

static int file_read(struct profile_source *source, void (*without_lines)(const char *object),
                     struct sw_error *err)
{
    struct profile_file file;
    int rc = profile_file_open(&file, source->path, err);
    if (rc < 0)
        return rc;
    source->is_prof = !profile_is(file.data, file.size);
    rc = source->is_prof ? marshal_read(file.data, file.size, &source->stats, err)
                         : profile_file_read(&file, &source->profile, without_lines, err);
    profile_file_close(&file);
    return rc;
}

int source_open(struct profile_source *source, const char *path,
                void (*without_lines)(const char *object), struct sw_error *err)
{
    *source = (struct profile_source){0};
    int rc = path_choose(source, path, err);
    if (rc < 0)
        return rc;
    rc = file_read(source, without_lines, err);
    if (rc < 0)
        sw_error_prefix(err, "%s", source->path);
    return rc;
}

void source_free(struct profile_source *source)
{
    if (source->is_prof)
        stats_free(&source->stats);
    else
        profile_free(&source->profile);
    free(source->path);
    free(source->folder);
}
