/* SPDX-License-Identifier: MIT */
#include "core/files/walk.h"
#include "core/text/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* the limit of the kernel */

/* ---- whom it belongs to ---------------------------------------------------------------------- */

/* The user that the kernel shows if the namespace does not know the real one. */
#define OVERFLOW_UID 65534U

/* Each line of the map has the first user inside, the first outside, and the count. */
static bool is_mapped(uid_t user)
{
    unsigned inside, outside, count;
    FILE *map = fopen("/proc/self/uid_map", "re");
    bool mapped = !map;
    while (map && !mapped && fscanf(map, "%u %u %u", &inside, &outside, &count) == 3)
        mapped = user >= inside && user - inside < count;
    if (map)
        fclose(map);
    return mapped;
}

bool swi_owner_is_trusted(uid_t owner)
{
    return owner == 0 || owner == geteuid() || (owner == OVERFLOW_UID && !is_mapped(owner));
}

bool swi_is_read_only(int fd)
{
    struct statvfs mounted;
    return fstatvfs(fd, &mounted) == 0 && (mounted.f_flag & ST_RDONLY);
}

const char *swi_folder_suspect(const struct stat *folder)
{
    if (folder->st_mode & S_IWOTH)
        return "that everybody may write to";
    return swi_owner_is_trusted(folder->st_uid) ? "" : "that belongs to another user";
}

/* ---- links ----------------------------------------------------------------------------------- */

static int fail(struct swi_walk *walk, int reason, const char *part, struct sw_error *err)
{
    walk->reason = reason;
    return sw_error_set(err, SW_EIO, "its folder \"%s\" cannot be %sentered: %s",
                        SWI_PRINTABLE(part), walk->make ? "made or " : "", strerror(reason));
}

static int refuse(struct swi_walk *walk, const char *part, const char *where, struct sw_error *err)
{
    walk->reason = 0;
    return sw_error_set(err, SW_EIO,
                        "\"%s\" is a symbolic link in a folder %s, which is not followed: name "
                        "another path",
                        SWI_PRINTABLE(part), where);
}

static bool is_trusted(const struct swi_walk *walk, uid_t owner)
{
    return swi_owner_is_trusted(owner) || owner == walk->also;
}

/* Returns why a link in a folder is not followed, as a clause about the folder, or "". */
static const char *link_suspect(const struct swi_walk *walk, const struct stat *folder,
                                const struct stat *link)
{
    bool ours = is_trusted(walk, link->st_uid), of_trusted = is_trusted(walk, folder->st_uid);
    bool stays = of_trusted && (folder->st_mode & S_ISVTX);
    if (ours &&
        ((of_trusted && !(folder->st_mode & S_IWOTH)) || stays || swi_is_read_only(walk->folder)))
        return "";
    if (folder->st_mode & S_IWOTH)
        return "that everybody may write to";
    if (!of_trusted)
        return "that belongs to another user";
    return folder->st_mode & S_IWGRP ? "that its group may write to, and belongs to another user"
                                     : "";
}

static int link_check(struct swi_walk *walk, const char *part, const struct stat *link,
                      struct sw_error *err)
{
    struct stat folder;
    if (fstat(walk->folder, &folder) != 0)
        return fail(walk, errno, part, err);
    const char *where = link_suspect(walk, &folder, link);
    return *where ? refuse(walk, part, where, err) : 0;
}

/* Puts the target of a link before the rest of the path. */
static bool rest_prefix(struct swi_walk *walk, const char *target)
{
    char rest[PATH_MAX];
    int n = snprintf(rest, sizeof rest, "%s%s%s", target, *walk->rest ? "/" : "", walk->rest);
    if (n < 0 || (size_t)n >= sizeof rest)
        return false;
    memcpy(walk->rest, rest, (size_t)n + 1);
    return true;
}

static bool to_root(struct swi_walk *walk)
{
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return false;
    if (walk->folder >= 0)
        close(walk->folder);
    walk->folder = root;
    strcpy(walk->here, "/");
    return true;
}

static int link_follow(struct swi_walk *walk, int link, const char *part, struct sw_error *err)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(link, "", target, sizeof target - 1);
    if (n <= 0)
        return fail(walk, n < 0 ? errno : ENOENT, part, err);
    target[n] = '\0';
    if (++walk->links > LINKS_MAX)
        return fail(walk, ELOOP, part, err);
    if (!rest_prefix(walk, target))
        return fail(walk, ENAMETOOLONG, part, err);
    return *target == '/' && !to_root(walk) ? fail(walk, errno, part, err) : 0;
}

/* The link is checked and read with the same descriptor, so it cannot be replaced in between. */
static int link_enter(struct swi_walk *walk, const char *part, int link, const struct stat *st,
                      struct sw_error *err)
{
    int rc = link_check(walk, part, st, err);
    return rc < 0 ? rc : link_follow(walk, link, part, err);
}

/* ---- folders --------------------------------------------------------------------------------- */

static void look(const struct swi_walk *walk)
{
    struct stat folder;
    if (walk->look && fstat(walk->folder, &folder) == 0)
        walk->look(walk, &folder);
}

static void here_enter(struct swi_walk *walk, const char *part)
{
    char *end = walk->here + strlen(walk->here), *slash = strrchr(walk->here, '/');
    if (strcmp(part, "..") != 0)
        snprintf(end, sizeof walk->here - (size_t)(end - walk->here), "%s%s",
                 end > walk->here && end[-1] != '/' ? "/" : "", part);
    else if (slash)
        slash[slash == walk->here] = '\0';
}

static int folder_take(struct swi_walk *walk, const char *part, int fd)
{
    close(walk->folder);
    walk->folder = fd;
    here_enter(walk, part);
    look(walk);
    return 0;
}

/* O_DIRECTORY triggers automounts. */
static int folder_open(const struct swi_walk *walk, const char *part)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(walk->folder, part, flags);
    if (fd < 0 && errno == ENOENT && walk->make &&
        (mkdirat(walk->folder, part, 0777) == 0 || errno == EEXIST))
        fd = openat(walk->folder, part, flags);
    return fd;
}

static int part_enter(struct swi_walk *walk, const char *part, struct sw_error *err)
{
    struct stat st;
    int fd = folder_open(walk, part), reason = errno;
    if (fd >= 0)
        return folder_take(walk, part, fd);
    fd = openat(walk->folder, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode)
                 ? link_enter(walk, part, fd, &st, err)
                 : fail(walk, reason, part, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* ---- the walk -------------------------------------------------------------------------------- */

int swi_walk_begin(struct swi_walk *walk, const char *path, struct sw_error *err)
{
    walk->folder = -1;
    walk->here[0] = walk->rest[0] = '\0';
    if (!rest_prefix(walk, path))
        return fail(walk, ENAMETOOLONG, path, err);
    if (*path == '/')
        to_root(walk);
    else
        walk->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (walk->folder < 0)
        return fail(walk, errno, *path == '/' ? "/" : ".", err);
    look(walk);
    return 0;
}

/* Takes the first part of the rest. Returns false if it is the last one. */
static bool part_take(struct swi_walk *walk, char *part, size_t size)
{
    const char *at = walk->rest + strspn(walk->rest, "/");
    size_t n = strcspn(at, "/");
    bool last = !at[n];
    if (!last) {
        snprintf(part, size, "%.*s", (int)n, at);
        at += n + 1;
    }
    memmove(walk->rest, at, strlen(at) + 1);
    return !last;
}

int swi_walk_to_last(struct swi_walk *walk, struct sw_error *err)
{
    char part[PATH_MAX];
    int rc = 0;
    while (rc == 0 && part_take(walk, part, sizeof part))
        if (strcmp(part, ".") != 0)
            rc = part_enter(walk, part, err);
    return rc;
}

static int last_failed(struct swi_walk *walk, struct sw_error *err)
{
    walk->reason = errno;
    return sw_error_set(err, SW_EIO, "cannot be opened: %s", strerror(walk->reason));
}

int swi_walk_open(struct swi_walk *walk, struct stat *st, struct sw_error *err)
{
    for (;;) {
        char part[PATH_MAX];
        int rc = swi_walk_to_last(walk, err);
        if (rc < 0)
            return rc;
        memcpy(part, walk->rest, strlen(walk->rest) + 1);
        int fd = openat(walk->folder, *part ? part : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || fstat(fd, st) != 0) {
            rc = last_failed(walk, err);
            if (fd >= 0)
                close(fd);
            return rc;
        }
        if (!S_ISLNK(st->st_mode))
            return fd;
        walk->rest[0] = '\0';
        rc = link_enter(walk, part, fd, st, err);
        close(fd);
        if (rc < 0)
            return rc;
    }
}

/* These links do not lead to a path. */
static bool is_descriptor(const struct swi_walk *walk)
{
    return strncmp(walk->here, "/proc/", 6) == 0;
}

int swi_walk_to_file(struct swi_walk *walk, struct sw_error *err)
{
    for (;;) {
        char part[PATH_MAX];
        struct stat st;
        int rc = swi_walk_to_last(walk, err);
        if (rc < 0 || !*walk->rest || is_descriptor(walk))
            return rc;
        memcpy(part, walk->rest, strlen(walk->rest) + 1);
        int fd = openat(walk->folder, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        bool link = fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
        if (link) {
            walk->rest[0] = '\0';
            rc = link_enter(walk, part, fd, &st, err);
        }
        if (fd >= 0)
            close(fd);
        if (rc < 0 || !link)
            return rc;
    }
}

void swi_walk_end(struct swi_walk *walk)
{
    if (walk->folder >= 0)
        close(walk->folder);
    walk->folder = -1;
}
