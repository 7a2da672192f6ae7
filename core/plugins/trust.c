/* SPDX-License-Identifier: MIT */
#include "core/plugins/trust.h"
#include "core/files/walk.h"
#include "core/text/printable.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* An address in this library. */
static const char here_it_is = 'h';

bool swi_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* Returns the name by which the loader has found the library, or NULL if it is part of the program:
 * the loader's name of that is empty, and dli_fname is then what its caller chose. A C library
 * without dladdr1() is one that programs link statically. */
static const char *loaded_name(void)
{
#ifdef __GLIBC__
    Dl_info here;
    struct link_map *map = NULL;
    bool known = dladdr1(&here_it_is, &here, (void **)&map, RTLD_DL_LINKMAP) != 0 && map;
    return known && map->l_name && *map->l_name ? map->l_name : NULL;
#else
    return NULL;
#endif
}

/* Copies the path of the file that is mapped at an address, as the kernel has it. Returns false if
 * there is none. */
static bool mapped_path(const void *at, char path[PATH_MAX])
{
    char line[PATH_MAX + 128];
    FILE *maps = fopen("/proc/self/maps", "re");
    *path = '\0';
    while (maps && !*path && fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        const char *name = strchr(line, '/');
        if (name && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2 &&
            (uintptr_t)at >= begin && (uintptr_t)at < end)
            snprintf(path, PATH_MAX, "%.*s", (int)strcspn(name, "\n"), name);
    }
    if (maps)
        fclose(maps);
    return *path == '/';
}

bool swi_own_library(char path[PATH_MAX])
{
    if (swi_is_privileged())
        return false;
    const char *name = loaded_name();
    if (name && *name == '/')
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    if (name) /* from a relative LD_LIBRARY_PATH; the program may be in another folder since */
        return mapped_path(&here_it_is, path);
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
    return *path == '/';
}

/* Returns the owner of the file, or 0 if it is not known. */
static uid_t own_library_owner(void)
{
    char path[PATH_MAX];
    struct stat st;
    return swi_own_library(path) && stat(path, &st) == 0 ? st.st_uid : 0;
}

/* A file or folder that was opened. */
struct opened {
    struct stat st;
    bool read_only; /* nobody can change it */
};

static int owner_check(const struct stat *st, const char *what, const struct swi_trusted *found,
                       struct sw_error *err)
{
    if (st->st_uid == 0 || st->st_uid == geteuid() || st->st_uid == found->also)
        return 0;
    return sw_error_set(err, SW_ESINK,
                        "%s belongs to user %u, expected root or user %u: its owner could put any "
                        "code into this program%s",
                        what, (unsigned)st->st_uid, (unsigned)geteuid(),
                        swi_is_privileged()
                            ? ""
                            : "; if you trust it, copy it into a folder of your own and name that "
                              "in STEPWATCH_PLUGIN_PATH");
}

static int mode_check(const struct opened *opened, const char *what, struct swi_trusted *found,
                      struct sw_error *err)
{
    const struct stat *st = &opened->st;
    if (opened->read_only)
        return 0;
    if (st->st_mode & S_IWOTH)
        return sw_error_set(err, SW_ESINK, "%s is writable by everybody: chmod o-w it", what);
    if (!(st->st_mode & S_IWGRP))
        return 0;
    if (swi_is_privileged())
        return sw_error_set(err, SW_ESINK,
                            "%s is writable by its group, which a setuid program does not accept: "
                            "chmod g-w it",
                            what);
    found->fixed = false;
    if (!*found->warn)
        snprintf(found->warn, sizeof found->warn, "%s is writable by its group: chmod g-w it",
                 what);
    return 0;
}

static int trust_check(const struct opened *opened, const char *what, struct swi_trusted *found,
                       struct sw_error *err)
{
    int rc = owner_check(&opened->st, what, found, err);
    return rc < 0 ? rc : mode_check(opened, what, found, err);
}

/* In a sticky folder, users can rename or remove only their own files. */
static int above_check(const struct opened *folder, const char *path, struct swi_trusted *found,
                       struct sw_error *err)
{
    char what[256];
    const struct stat *st = &folder->st;
    if ((swi_owner_is_trusted(st->st_uid) || st->st_uid == found->also) &&
        ((st->st_mode & S_ISVTX) || !(st->st_mode & (S_IWGRP | S_IWOTH))))
        return 0;
    snprintf(what, sizeof what, "the folder %s above it", SWI_PRINTABLE(path));
    return trust_check(folder, what, found, err);
}

static int type_check(int fd, const struct stat *st, struct sw_error *err)
{
    char magic[4];
    if (S_ISDIR(st->st_mode))
        return sw_error_set(err, SW_ESINK, "it is a directory, expected a shared object");
    if (!S_ISREG(st->st_mode))
        return sw_error_set(err, SW_ESINK, "it is not a regular file, expected a shared object");
    if (st->st_size == 0)
        return sw_error_set(err, SW_ESINK, "it is empty, expected a shared object");
    if (pread(fd, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, "\177ELF", 4) != 0)
        return sw_error_set(err, SW_ESINK, "it is not an ELF file, expected a shared object");
    return 0;
}

static int not_opened(struct sw_error *err)
{
    int why = errno;
    if (why == ENOENT)
        return SW_EIO;
    return sw_error_set(err, SW_ESINK, "it cannot be opened: %s", strerror(why));
}

/* ---- the folders on the way ------------------------------------------------------------------ */

/* Only the first folder that cannot be trusted is reported, and only if the file exists. The last
 * folder is checked separately. */
struct swi_trusted_folder {
    const char *name;
    struct swi_walk walk;
    struct sw_error failure; /* why it could not be entered; code 0: it was */
    struct swi_trusted above;
    struct sw_error problem;
    struct opened last;
    char path[PATH_MAX];
};

static void folder_check(const struct swi_walk *walk, const struct stat *st)
{
    struct swi_trusted_folder *folder = walk->arg;
    if (*folder->path && !folder->problem.code)
        above_check(&folder->last, folder->path, &folder->above, &folder->problem);
    folder->last = (struct opened){*st, swi_is_read_only(walk->folder)};
    memcpy(folder->path, walk->here, strlen(walk->here) + 1);
}

/* Returns NULL if out of memory. */
static struct swi_trusted_folder *begin(const char *name, const char *part)
{
    char path[PATH_MAX];
    struct swi_trusted_folder *folder = calloc(1, sizeof *folder);
    if (!folder)
        return NULL;
    folder->name = name;
    folder->above = (struct swi_trusted){.fixed = true, .also = own_library_owner()};
    folder->walk = (struct swi_walk){
        .folder = -1, .also = folder->above.also, .look = folder_check, .arg = folder};
    if (snprintf(path, sizeof path, "%s/%s", name, part) >= (int)sizeof path)
        path[0] = '\0';
    swi_walk_begin(&folder->walk, path, &folder->failure);
    return folder;
}

struct swi_trusted_folder *swi_trust_enter(const char *name)
{
    struct swi_trusted_folder *folder = begin(name, ".");
    if (folder && !folder->failure.code)
        swi_walk_to_last(&folder->walk, &folder->failure);
    return folder;
}

const char *swi_trust_name(const struct swi_trusted_folder *folder)
{
    return folder->name;
}

void swi_trust_leave(struct swi_trusted_folder *folder)
{
    if (!folder)
        return;
    swi_walk_end(&folder->walk);
    sw_error_free(&folder->failure);
    sw_error_free(&folder->problem);
    free(folder);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Problems of the file come first, then those of its folder, then those of the folders above. */
static int file_check(int fd, const struct swi_trusted_folder *folder, struct swi_trusted *found,
                      struct sw_error *err)
{
    struct opened file = {.read_only = swi_is_read_only(fd)};
    if (fstat(fd, &file.st) != 0)
        return sw_error_set(err, SW_ESINK, "it cannot be accessed: %s", strerror(errno));
    int rc = type_check(fd, &file.st, err);
    if (rc == 0)
        rc = trust_check(&file, "it", found, err);
    if (rc == 0)
        rc = trust_check(&folder->last, "its folder", found, err);
    if (rc == 0 && folder->problem.code)
        sw_error_set(err, folder->problem.code, "%s", sw_error_text(&folder->problem));
    if (!*found->warn)
        memcpy(found->warn, folder->above.warn, sizeof found->warn);
    found->fixed &= folder->above.fixed;
    return rc < 0 ? rc : folder->problem.code;
}

static int not_entered(const struct swi_trusted_folder *folder, struct swi_trusted *found,
                       struct sw_error *err)
{
    found->reason = folder->walk.reason;
    return sw_error_set(err, found->reason ? SW_EIO : SW_ESINK, "%s",
                        sw_error_text(&folder->failure));
}

/* Non-blocking, because it may be a FIFO. */
static int open_at(int folder, const char *name)
{
    return openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

static int checked(int fd, const struct swi_trusted_folder *folder, struct swi_trusted *found,
                   struct sw_error *err)
{
    int rc = file_check(fd, folder, found, err);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

static int target_open(struct swi_trusted_folder *target, struct swi_trusted *found,
                       struct sw_error *err)
{
    struct stat st;
    int seen = target->failure.code ? SW_EIO : swi_walk_open(&target->walk, &st, &target->failure);
    if (seen < 0)
        return sw_error_set(err, SW_ESINK, "it is a link, and %s", sw_error_text(&target->failure));
    close(seen);
    int fd = open_at(target->walk.folder, *target->walk.rest ? target->walk.rest : ".");
    if (fd >= 0)
        return checked(fd, target, found, err);
    return sw_error_set(err, SW_ESINK, "it is a link, and cannot be opened: %s", strerror(errno));
}

/* Opens what a link leads to, with the same checks of it, of its folder and of all folders on the
 * way. */
static int link_open(const struct swi_trusted_folder *folder, const char *name,
                     struct swi_trusted *found, struct sw_error *err)
{
    struct swi_trusted_folder *target = begin(folder->name, name);
    int rc = target ? target_open(target, found, err)
                    : sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    swi_trust_leave(target);
    return rc;
}

int swi_trust_open(const struct swi_trusted_folder *folder, const char *name,
                   struct swi_trusted *found, struct sw_error *err)
{
    *found = (struct swi_trusted){.fixed = true, .also = folder->above.also};
    if (folder->failure.code)
        return not_entered(folder, found, err);
    int fd = open_at(folder->walk.folder, name);
    if (fd < 0 && errno == ELOOP)
        return link_open(folder, name, found, err);
    return fd < 0 ? not_opened(err) : checked(fd, folder, found, err);
}
