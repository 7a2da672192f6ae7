/* SPDX-License-Identifier: MIT */
/* If only root and the user can replace the file, it is loaded by its path, which is the name that
 * debuggers, profilers and dladdr() understand. Else the loader, which opens the file once more,
 * might find another file there than the one that was checked. /proc/PID/fd/N is the open file
 * itself. This needs care in three ways:
 *
 * - Debuggers open the name themselves, so it must not be /proc/self/fd/N, which is their own
 * descriptor N: gdb would wait for ever if that is a pipe.
 *
 * - The loader takes a name that it has seen before for the object that had it, and numbers of
 * descriptors are reused. So each name has another number of slashes.
 *
 * - Debuggers, dladdr() and sanitizers take the name for the path of the file. So the path is
 * written over the name after loading. The name has enough slashes to have room for it. */
#include "core/files/own_symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is loaded already ------------------------------------------------------------------ */

/* The loader never frees the name of an object, so an object that is loaded again, because a
 * profiler is opened again, must not get another name. Entries are never freed, because the objects
 * stay loaded. */
struct known {
    struct known *next;
    struct swi_shared shared;
};
static struct known *_Atomic first_known;

static void *known_find(const struct stat *st)
{
    for (const struct known *known = atomic_load(&first_known); known; known = known->next)
        if (known->shared.device == st->st_dev && known->shared.inode == st->st_ino)
            return known->shared.handle;
    return NULL;
}

void swi_shared_object_keep(const struct swi_shared *shared)
{
    struct known *known = shared->known ? NULL : malloc(sizeof *known);
    if (!known)
        return;
    *known = (struct known){atomic_load(&first_known), *shared};
    while (!atomic_compare_exchange_weak(&first_known, &known->next, known))
        continue;
}

void swi_shared_object_drop(const struct swi_shared *shared)
{
    if (!shared->known)
        dlclose(shared->handle);
}

/* ---- names ----------------------------------------------------------------------------------- */

enum { FOLDER = 32, NUMBER = 16 }; /* bytes for the folder and the number of a descriptor */

/* Returns more slashes than any name had before, and enough room for the path. If that gets too
 * long, starts again with the shortest: the objects with those names are mostly unloaded by then.
 * Returns 0 if the path itself is too long. */
static size_t slashes_next(const char *path)
{
    static atomic_size_t most;
    const size_t limit = PATH_MAX - FOLDER - NUMBER, least = strlen(path);
    size_t slashes, before = atomic_load(&most);
    do {
        slashes = before + 1 > least ? before + 1 : least;
        if (slashes > limit)
            slashes = least;
    } while (!atomic_compare_exchange_weak(&most, &before, slashes));
    return slashes <= limit ? slashes : 0;
}

/* The link has the number by which this /proc knows the process. It is not getpid() if /proc
 * belongs to another PID namespace. Returns 0 without /proc. */
static long own_number(void)
{
    char number[NUMBER];
    ssize_t n = readlink("/proc/self", number, sizeof number - 1);
    number[n > 0 ? n : 0] = '\0';
    return strtol(number, NULL, 10);
}

/* Returns false, with the reason in err, if there is no such name. */
static bool name_make(char name[PATH_MAX], int fd, const char *path, struct sw_error *err)
{
    long process = own_number();
    size_t slashes = slashes_next(path);
    if (process <= 0)
        sw_error_set(err, SW_ESINK, "loading it safely needs /proc, which is not mounted");
    else if (!slashes)
        sw_error_set(err, SW_ESINK, "its path is too long");
    if (process <= 0 || !slashes)
        return false;
    int length = snprintf(name, FOLDER, "/proc/%ld/fd", process);
    memset(name + length, '/', slashes);
    snprintf(name + length + slashes, NUMBER, "%d", fd);
    return true;
}

struct renaming {
    struct link_map *map;
    const char *name, *path;
};

/* The loader calls this with a lock held, which ThreadSanitizer does not see. Other threads that
 * are in dl_iterate_phdr(), such as unwinders, or that load the same object see either the old name
 * or the new one. A dlopen() in another thread may read a mix of the two. The mix is terminated and
 * matches no object. */
__attribute__((no_sanitize("thread"))) static int name_replace(struct dl_phdr_info *object,
                                                               size_t size, void *arg)
{
    const struct renaming *renaming = arg;
    volatile char *to = renaming->map->l_name;
    const char *from = renaming->path;
    (void)object;
    (void)size;
    if (strcmp(renaming->map->l_name, renaming->name) == 0)
        while ((*to++ = *from++))
            continue;
    return 1;
}

static void path_write(void *handle, const char *name, const char *path)
{
    struct renaming renaming = {.name = name, .path = path};
    if (dlinfo(handle, RTLD_DI_LINKMAP, &renaming.map) == 0 && renaming.map->l_name)
        dl_iterate_phdr(name_replace, &renaming);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The loader's message usually begins with the name. The caller adds the path. */
static void *refused(const char *name, struct sw_error *err)
{
    const char *message = dlerror();
    size_t n = strlen(name);
    if (message && strncmp(message, name, n) == 0 && strncmp(message + n, ": ", 2) == 0)
        message += n + 2;
    const char *again = message ? strstr(message, name) : NULL;
    if (again)
        sw_error_set(err, SW_ESINK, "the loader says: %.*sit%s", (int)(again - message), message,
                     again + n);
    else
        sw_error_set(err, SW_ESINK, "the loader says: %s", message ? message : "nothing");
    return NULL;
}

/* Local, because every plugin exports the same symbol, and none may see that of another. */
static void *open_as(const char *name, struct sw_error *err)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return handle ? handle : refused(name, err);
}

static void *open_by_descriptor(int fd, const char *path, struct sw_error *err)
{
    char name[PATH_MAX];
    void *handle = name_make(name, fd, path, err) ? open_as(name, err) : NULL;
    if (handle)
        path_write(handle, name, path);
    return handle;
}

/* Returns whether the loader would open the file with this status. It would not if an object with
 * this name is loaded already: the file that it came from has been replaced. */
static bool is_found_at(const char *path, const struct stat *checked)
{
    struct stat st;
    if (stat(path, &st) != 0 || st.st_dev != checked->st_dev || st.st_ino != checked->st_ino)
        return false;
    void *before = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (before)
        dlclose(before);
    return !before;
}

/* Without /proc, the path is the only way, even if others may replace the file: the caller trusts
 * all who may. */
static void *load(int fd, const char *path, bool fixed, const struct stat *st, struct sw_error *err)
{
    void *handle = NULL;
    bool by_path = fixed || own_number() <= 0, found = is_found_at(path, st);
    if (!by_path || !found)
        handle = open_by_descriptor(fd, path, err);
    if (!handle && by_path && (fixed || found))
        handle = open_as(path, err);
    if (!handle || swi_own_symbols(handle, err) == 0)
        return handle;
    dlclose(handle);
    return NULL;
}

int swi_shared_object_load(struct swi_shared *shared, int fd, const char *path, bool fixed,
                           struct sw_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return sw_error_set(err, SW_ESINK, "it cannot be accessed: %s", strerror(errno));
    void *handle = known_find(&st);
    *shared = (struct swi_shared){handle, st.st_dev, st.st_ino, handle};
    if (!handle)
        shared->handle = load(fd, path, fixed, &st, err);
    return shared->handle ? 0 : SW_ESINK;
}
