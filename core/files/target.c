/* SPDX-License-Identifier: MIT */
#include "core/files/file.h"
#include "core/files/identity.h"
#include "core/files/in_place.h"
#include "core/files/walk.h"
#include "core/text/opened.h"
#include "core/text/printable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

static int refuse(struct sw_error *err, const char *path, const char *what)
{
    return sw_error_set(err, SW_EIO, "%s: %s: %s", path, what, strerror(errno));
}

/* ---- descriptors of the program -------------------------------------------------------------- */

static bool is_of_proc(int folder)
{
    enum { PROC = 0x9fa0 };
    struct statfs mounted;
    return fstatfs(folder, &mounted) == 0 && mounted.f_type == PROC;
}

static bool is_own_table(int folder)
{
    char path[64];
    struct stat own, st;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)getpid());
    return stat(path, &own) == 0 && fstat(folder, &st) == 0 && own.st_dev == st.st_dev &&
           own.st_ino == st.st_ino;
}

/* A link in /proc is not a text to follow. A copy of a descriptor of this process writes where
 * the program itself would write next. */
static int descriptor_open(int folder, const char *name, const char *path, struct sw_error *err)
{
    int fd;
    if (is_own_table(folder)) {
        int theirs = atoi(name), flags = fcntl(theirs, F_GETFL);
        if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
            return sw_error_set(err, SW_EIO, "%s: is open for reading only", path);
        fd = fcntl(theirs, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    } else {
        fd = swi_above_standard(openat(folder, name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
    }
    return fd < 0 ? refuse(err, path, "cannot be opened") : fd;
}

/* ---- devices and FIFOs ----------------------------------------------------------------------- */

/* A device or a FIFO is written to as it is. One that another user may have put there is refused:
 * it would get everything that is written, or block the open. */
static int special_check(int folder, const struct stat *st, const char *path, struct sw_error *err)
{
    struct stat of_folder;
    if (fstat(folder, &of_folder) != 0)
        return refuse(err, path, "cannot be opened");
    const char *where = swi_folder_suspect(&of_folder);
    if (!*where && swi_owner_is_trusted(st->st_uid))
        return 0;
    return sw_error_set(err, SW_EIO,
                        "%s: is a %s%s%s, and stepwatch does not write to it: name another path",
                        path, S_ISFIFO(st->st_mode) ? "FIFO" : "device or a socket",
                        *where ? " in a folder " : " that belongs to another user", where);
}

/* Opens the file that was checked, whatever has its name by now. Without /proc, opens it by its
 * name, because other users may not write to its folder. */
static int special_open(int folder, const char *name, int seen, const char *path,
                        struct sw_error *err)
{
    char same[64];
    snprintf(same, sizeof same, "/proc/self/fd/%d", seen);
    int fd = open(same, O_CLOEXEC | O_NOCTTY | O_WRONLY);
    if (fd < 0 && errno == ENOENT)
        fd = openat(folder, name, O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_WRONLY);
    return fd < 0 ? refuse(err, path, "cannot be opened") : swi_above_standard(fd);
}

/* seen: open with O_PATH. Returns 0 for a regular file. */
static int seen_open(int folder, const char *name, int seen, const char *path,
                     struct swi_target *target, struct sw_error *err)
{
    struct stat st;
    if (fstat(seen, &st) < 0)
        return refuse(err, path, "cannot be created");
    if (S_ISLNK(st.st_mode) && is_of_proc(folder))
        return target->special = descriptor_open(folder, name, path, err);
    if (S_ISLNK(st.st_mode))
        return sw_error_set(err, SW_EIO,
                            "%s: is a symbolic link, which is not followed: name the file itself "
                            "(- is stdout)",
                            path);
    if (S_ISDIR(st.st_mode))
        return sw_error_set(err, SW_EIO, "%s: is a folder, expected a file", path);
    target->has_content = S_ISREG(st.st_mode) && st.st_size > 0;
    if (S_ISREG(st.st_mode))
        return 0;
    int rc = special_check(folder, &st, path, err);
    return rc < 0 ? rc : (target->special = special_open(folder, name, seen, path, err));
}

int swi_target_open(int folder, const char *name, const char *path, struct swi_target *target,
                    struct sw_error *err)
{
    *target = (struct swi_target){.special = -1};
    SWI_CLOSED int seen = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (seen < 0)
        return errno == ENOENT ? 0 : refuse(err, path, "cannot be created");
    int rc = seen_open(folder, name, seen, path, target, err);
    return rc < 0 ? rc : 0;
}

/* ---- files that cannot be replaced ----------------------------------------------------------- */

/* Another user's file in a folder that everybody may write to is not written to. */
static int in_place_open(int folder, const char *name)
{
    struct stat st, of_folder;
    int fd = swi_in_place_open(folder, name, O_APPEND);
    bool fine = fd >= 0 && fstat(fd, &st) == 0 && fstat(folder, &of_folder) == 0 &&
                S_ISREG(st.st_mode) &&
                (swi_owner_is_trusted(st.st_uid) || !*swi_folder_suspect(&of_folder));
    if (fine || fd < 0)
        return swi_above_standard(fd);
    close(fd);
    errno = EPERM;
    return -1;
}

int swi_target_empty(int folder, const char *name)
{
    int fd = in_place_open(folder, name);
    if (fd < 0 || swi_in_place_empty(fd))
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* ---- links ----------------------------------------------------------------------------------- */

int swi_target_follow(char path[PATH_MAX], struct sw_error *err)
{
    struct stat st;
    struct swi_walk walk = {.folder = -1};
    if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
        return 0;
    int rc = swi_walk_begin(&walk, path, err);
    if (rc == 0)
        rc = swi_walk_to_file(&walk, err);
    if (rc == 0 && *walk.rest &&
        snprintf(path, PATH_MAX, "%s%s%s", walk.here, strcmp(walk.here, "/") ? "/" : "",
                 walk.rest) >= PATH_MAX)
        rc = sw_error_set(err, SW_EIO, "the link leads to a path that is too long");
    if (rc < 0)
        sw_error_prefix(err, "%s", path);
    swi_walk_end(&walk);
    return rc < 0 ? SW_EIO : 0;
}

int swi_path_check(const char *path, struct sw_error *err)
{
    struct swi_walk walk = {.folder = -1};
    struct stat st;
    int rc = swi_walk_begin(&walk, path, err);
    SWI_CLOSED int fd = rc < 0 ? rc : swi_walk_open(&walk, &st, err);
    bool refused = fd < 0 && !walk.reason;
    swi_walk_end(&walk);
    /* The code that opens the file reports what is missing or cannot be entered. */
    if (!refused)
        return 0;
    sw_error_prefix(err, "%s", path);
    return SW_EIO;
}

/* ---- trying ---------------------------------------------------------------------------------- */

/* Shortens an absolute path to its first part that exists. Returns whether it exists as it is. */
static bool to_existing(char *path)
{
    bool whole = true;
    while (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR) && path[1]) {
        char *slash = strrchr(path, '/');
        slash[slash == path] = '\0';
        whole = false;
    }
    return whole;
}

/* Sandboxes that are older than the call faccessat2, which the C library makes for AT_EACCESS,
 * forbid it. access() asks for the real user, who is the same one except in a setuid program. */
static bool may_write(const char *path, int also)
{
    if (faccessat(AT_FDCWD, path, W_OK | also, AT_EACCESS) == 0)
        return true;
    return errno == EPERM && geteuid() == getuid() && getegid() == getgid() &&
           access(path, W_OK | also) == 0;
}

static int cannot_be_made(const char *path, const char *there, struct sw_error *err)
{
    struct stat st;
    int reason = errno;
    if (stat(there, &st) == 0 && !S_ISDIR(st.st_mode))
        return sw_error_set(err, SW_EIO, "%s: its folder \"%s\" cannot be made or entered: %s",
                            path, SWI_PRINTABLE(strrchr(there, '/') + 1), strerror(ENOTDIR));
    return sw_error_set(err, SW_EIO,
                        "%s: cannot be created in the folder %s: %s: choose another path, or allow "
                        "this user to write there",
                        path, there, strerror(reason));
}

/* Devices, FIFOs, and descriptors of the program, without opening them. */
static int special_try(const char *path, const char *there, const struct stat *st,
                       struct sw_error *err)
{
    char folder[PATH_MAX];
    if (!may_write(there, 0))
        return sw_error_set(err, SW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    snprintf(folder, sizeof folder, "%s", there);
    strrchr(folder, '/')[1] = '\0';
    SWI_CLOSED int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 || is_of_proc(fd) ? 0 : special_check(fd, st, path, err);
}

static int folder_try(const char *path, const char *there, struct sw_error *err)
{
    if (may_write(there, X_OK))
        return 0;
    return errno == EACCES || errno == EROFS || errno == EPERM || errno == ENOTDIR
               ? cannot_be_made(path, there, err)
               : 0;
}

/* The folders that are not there yet would not tell. */
static int names_try(const char *path, struct sw_error *err)
{
    for (const char *at = path; *at; at += strspn(at, "/")) {
        size_t length = strcspn(at, "/");
        if (length > NAME_MAX)
            return sw_error_set(err, SW_EIO,
                                "%s: cannot be created: %s: expected names of at most "
                                "%d bytes",
                                path, strerror(ENAMETOOLONG), NAME_MAX);
        at += length;
    }
    return 0;
}

int swi_target_try(const char *path, bool folder, struct sw_error *err)
{
    char there[PATH_MAX];
    struct stat st;
    snprintf(there, sizeof there, "%s", path);
    int rc = names_try(path, err);
    rc = rc < 0 ? rc : swi_path_check(path, err);
    rc = rc < 0 ? rc : swi_target_follow(there, err);
    if (rc < 0)
        return rc;
    bool whole = to_existing(there) && stat(there, &st) == 0;
    if (!folder && (path[strlen(path) - 1] == '/' || (whole && S_ISDIR(st.st_mode))))
        return sw_error_set(err, SW_EIO, "%s: is a folder, expected a file", path);
    if (folder || !whole)
        return folder_try(path, there, err);
    if (!S_ISREG(st.st_mode))
        return special_try(path, there, &st, err);
    if (may_write(there, 0))
        return 0;
    char *slash = strrchr(there, '/'); /* another file may take its place */
    slash[slash == there] = '\0';
    return folder_try(path, there, err);
}
