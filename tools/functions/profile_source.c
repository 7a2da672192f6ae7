/* SPDX-License-Identifier: MIT */
#include "tools/functions/profile_source.h"
#include "tools/functions/marshal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a folder ---- */

static bool ends_in(const char *name, const char *ending)
{
    size_t size = strlen(name), end = strlen(ending);
    return size > end && strcmp(name + size - end, ending) == 0;
}

static int is_profile(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && ends_in(entry->d_name, ".functions");
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

static int data_read(struct profile_source *source, const void *data, size_t size,
                     void (*told)(const char *object), struct sw_error *err)
{
    source->is_prof = !profile_is(data, size);
    if (source->is_prof)
        return marshal_read(data, size, &source->stats, err);
    int rc = profile_read(data, size, &source->profile, err);
    if (rc == 0 && !profile_name(&source->profile, told))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the names of functions");
    return rc;
}

static int file_read(struct profile_source *source, void (*told)(const char *object),
                     struct sw_error *err)
{
    struct stat status;
    int fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        if (fd >= 0)
            close(fd);
        return sw_error_set(err, SW_EIO, "%s", fd < 0 ? strerror(errno) : "not a file");
    }
    void *data = status.st_size ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                                : MAP_FAILED;
    close(fd);
    if (data == MAP_FAILED)
        return sw_error_set(err, SW_EINVAL, "the file is empty or cannot be read");
    int rc = data_read(source, data, (size_t)status.st_size, told, err);
    munmap(data, (size_t)status.st_size);
    return rc;
}

int source_open(struct profile_source *source, const char *path, void (*told)(const char *object),
                struct sw_error *err)
{
    *source = (struct profile_source){0};
    int rc = path_choose(source, path, err);
    if (rc < 0)
        return rc;
    rc = file_read(source, told, err);
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
