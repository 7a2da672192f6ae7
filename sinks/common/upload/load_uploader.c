/* SPDX-License-Identifier: MIT */
#include "sinks/common/upload/load_uploader.h"

#include "core/files/shared_object.h"

#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An address in this sink's file. */
static const char here_it_is = 'h';

/* Returns the absolute path of the sink's own file, as core loaded it; NULL if the sink is part of
 * another file. */
static const char *own_path(const char *file_name, struct sw_error *err)
{
    Dl_info here;
    if (dladdr(&here_it_is, &here) && here.dli_fname && *here.dli_fname == '/')
        return here.dli_fname;
    sw_error_set(err, SW_ESINK,
                 "%s: the sink was not loaded from a file, so there is no folder to look in",
                 file_name);
    return NULL;
}

static int beside(const char *own, const char *file_name, char path[PATH_MAX], struct sw_error *err)
{
    int folder = (int)(strrchr(own, '/') - own);
    if (snprintf(path, PATH_MAX, "%.*s/%s", folder, own, file_name) < PATH_MAX)
        return 0;
    return sw_error_set(err, SW_ESINK, "%s: the path of its folder is too long", file_name);
}

/* Core has checked the folder and the sink's file. A user who may write the sink's file can already
 * put code into this program. So this file is safe if nobody else may write it. */
static bool is_safe(const struct stat *file, const struct stat *own)
{
    mode_t writable = file->st_mode & (S_IWGRP | S_IWOTH);
    return S_ISREG(file->st_mode) && (file->st_uid == 0 || file->st_uid == own->st_uid) &&
           (writable & ~own->st_mode) == 0 && (!writable || file->st_gid == own->st_gid);
}

static int check(const char *own, const char *path, int fd, struct sw_error *err)
{
    struct stat st, st_own;
    if (fd < 0 && errno == ENOENT)
        return sw_error_set(err, SW_ESINK,
                            "%s does not exist: this stepwatch was built without the libraries "
                            "it needs, or it is not installed completely",
                            path);
    if (fd < 0 || fstat(fd, &st) < 0 || stat(own, &st_own) < 0)
        return sw_error_set(err, SW_ESINK, "%s cannot be opened: %s", path,
                            errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    if (!is_safe(&st, &st_own))
        return sw_error_set(err, SW_ESINK,
                            "%s is not loaded: it is not a regular file, or it can be written by "
                            "somebody who cannot write the sink's own file",
                            path);
    return 0;
}

/* Returns whether only root and the user can replace the file. */
static bool is_fixed(const char *path, int fd)
{
    char folder[PATH_MAX];
    struct stat file, above;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    return fstat(fd, &file) == 0 && stat(folder, &above) == 0 &&
           !((file.st_mode | above.st_mode) & (S_IWGRP | S_IWOTH));
}

/* It is never unloaded, because its thread may hang in the resolver of names, where nothing can end
 * it. */
static const char *load(const char *path, int fd, const char *symbol, struct sw_error *err)
{
    struct swi_shared shared;
    if (swi_shared_object_load(&shared, fd, path, is_fixed(path, fd), err) < 0) {
        sw_error_prefix(err, "%s cannot be loaded", path);
        return NULL;
    }
    swi_shared_object_keep(&shared);
    const char *found = dlsym(shared.handle, symbol);
    if (found && strcmp(found, PACKAGE_VERSION) == 0)
        return found;
    sw_error_set(err, SW_ESINK, "%s belongs to %s%.31s, but the sink to stepwatch " PACKAGE_VERSION,
                 path, found ? "stepwatch " : "something else", found ? found : "");
    return NULL;
}

/* Non-blocking, because it may be a FIFO. */
static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

const void *swi_uploader_load(const char *file_name, const char *symbol, struct sw_error *err)
{
    char path[PATH_MAX], real[PATH_MAX];
    const char *own = own_path(file_name, err);
    if (!own || beside(own, file_name, path, err) < 0)
        return NULL;
    int fd = open_file(path);
    /* In a tree of links, the sink is a link, too, and core has checked what it leads to. */
    if (fd < 0 && errno == ELOOP && realpath(own, real) && beside(real, file_name, path, err) == 0)
        fd = open_file(path);
    const char *found = check(own, path, fd, err) == 0 ? load(path, fd, symbol, err) : NULL;
    if (fd >= 0)
        close(fd);
    return found;
}
