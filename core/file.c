/* SPDX-License-Identifier: MIT */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct sw_error *err, const char *path, const char *what)
{
    return sw_error_set(err, SW_EIO, "%s: %s: %s", path, what, strerror(errno));
}

/* ---- folders ------------------------------------------------------------------------------------
 */

/* A folder where everybody may write may hold a link that somebody laid for us. */
static int link_check(int parent, const char *name, const char *path, struct sw_error *err)
{
    struct stat folder, entry;
    if (fstat(parent, &folder) != 0 || !(folder.st_mode & S_IWOTH))
        return 0;
    if (fstatat(parent, name, &entry, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(entry.st_mode))
        return 0;
    return sw_error_set(err, SW_EIO,
                        "%s: \"%s\" is a symbolic link in a folder that everybody may write to, "
                        "which is not followed: name another path",
                        path, name);
}

static int folder_enter(int parent, const char *name, const char *path, struct sw_error *err)
{
    if (link_check(parent, name, path, err) < 0)
        return -1;
    int fd = openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && (mkdirat(parent, name, 0777) == 0 || errno == EEXIST))
        fd = openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        sw_error_set(err, SW_EIO, "%s: its folder \"%s\" cannot be made or entered: %s", path, name,
                     strerror(errno));
    return fd;
}

/* Enters the next part of a path. 1: entered; 0: it was the last part, not entered; or -1. */
static int folder_step(int *fd, const char **at, const char *path, struct sw_error *err)
{
    char part[NAME_MAX + 1];
    *at += strspn(*at, "/");
    size_t n = strcspn(*at, "/");
    if (!(*at)[n])
        return 0;
    if (n > NAME_MAX) {
        errno = ENAMETOOLONG;
        return refuse(err, path, "cannot be made");
    }
    memcpy(part, *at, n);
    part[n] = '\0';
    int next = folder_enter(*fd, part, path, err);
    if (next < 0)
        return -1;
    close(*fd);
    *fd = next;
    *at += n;
    return 1;
}

/* Opens the folder of an absolute path, making what is missing, and gives the last part of the
 * path. */
static int folder_open(const char *path, const char **name, struct sw_error *err)
{
    int rc = 1, fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return refuse(err, path, "cannot be opened");
    for (*name = path; rc > 0;)
        rc = folder_step(&fd, name, path, err);
    if (rc == 0 && !**name)
        rc = sw_error_set(err, SW_EIO, "%s: is a folder, expected a file", path);
    if (rc < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- files --------------------------------------------------------------------------------------
 */

/* The program may close its stdout later. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int saved = errno;
    close(fd);
    errno = saved;
    return higher;
}

/* A new file beside the one that it will be, under a name that nobody else uses. */
static int temporary_open(int folder, const char *name, char temporary[NAME_MAX + 1])
{
    enum { ATTEMPTS = 100 };
    static atomic_uint number;
    int fd = -1;
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < ATTEMPTS; i++) {
        snprintf(temporary, NAME_MAX + 1, ".%.200s.%d-%u", name, (int)getpid(),
                 atomic_fetch_add(&number, 1));
        fd = openat(folder, temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_WRONLY, 0666);
    }
    return above_standard(fd);
}

/* Sets special where there is something at that name which is neither to be replaced nor refused: a
 * device, a FIFO. */
static int target_check(int folder, const char *name, const char *path, bool *special,
                        struct sw_error *err)
{
    struct stat st;
    *special = false;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : refuse(err, path, "cannot be created");
    if (S_ISLNK(st.st_mode))
        return sw_error_set(err, SW_EIO,
                            "%s: is a symbolic link, which is not followed: name the file itself "
                            "(- is stdout)",
                            path);
    if (S_ISDIR(st.st_mode))
        return sw_error_set(err, SW_EIO, "%s: is a folder, expected a file", path);
    *special = !S_ISREG(st.st_mode);
    return 0;
}

static int special_open(int folder, const char *name, const char *path, struct sw_error *err)
{
    int fd = openat(folder, name, O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_WRONLY);
    return fd < 0 ? refuse(err, path, "cannot be opened") : above_standard(fd);
}

static int rename_over(int folder, const char *temporary, const char *name, const char *path,
                       struct sw_error *err)
{
    if (renameat(folder, temporary, folder, name) == 0)
        return 0;
    refuse(err, path, "cannot be replaced");
    unlinkat(folder, temporary, 0);
    return SW_EIO;
}

/* Under its name at once, so that it can be watched; the old one is gone as a whole. */
static int create_at(int folder, const char *name, const char *path, struct sw_error *err)
{
    char temporary[NAME_MAX + 1];
    bool special;
    if (target_check(folder, name, path, &special, err) < 0)
        return SW_EIO;
    if (special)
        return special_open(folder, name, path, err);
    int fd = temporary_open(folder, name, temporary);
    if (fd < 0)
        return refuse(err, path, "cannot be created");
    if (rename_over(folder, temporary, name, path, err) == 0)
        return fd;
    close(fd);
    return SW_EIO;
}

int swi_file_create(const char *path, struct sw_error *err)
{
    const char *name;
    int folder = folder_open(path, &name, err);
    if (folder < 0)
        return SW_EIO;
    int fd = create_at(folder, name, path, err);
    close(folder);
    return fd;
}

size_t swi_fd_write(int fd, const char *text, size_t size)
{
    size_t done = 0;
    errno = 0;
    while (done < size) {
        ssize_t n = write(fd, text + done, size - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        else if (n == 0 || errno != EINTR)
            break;
    }
    errno = done < size && !errno ? EIO : errno;
    return done;
}

/* Writes and closes. Some file systems cannot sync, which is no failure of the write. */
static int content_write(int fd, const char *path, const char *text, size_t size,
                         struct sw_error *err)
{
    int rc = 0;
    if (swi_fd_write(fd, text, size) < size || (fsync(fd) != 0 && errno != EINVAL))
        rc = refuse(err, path, "cannot be written");
    if (close(fd) != 0 && rc == 0)
        rc = refuse(err, path, "cannot be closed");
    return rc;
}

/* The new name outlives a loss of power. */
static void folder_sync(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

static int replace_at(int folder, const char *name, const char *path, const char *text, size_t size,
                      struct sw_error *err)
{
    char temporary[NAME_MAX + 1];
    bool special;
    if (target_check(folder, name, path, &special, err) < 0)
        return SW_EIO;
    int fd =
        special ? special_open(folder, name, path, err) : temporary_open(folder, name, temporary);
    if (fd < 0)
        return special ? SW_EIO : refuse(err, path, "cannot be created");
    int rc = content_write(fd, path, text, size, err);
    if (special)
        return rc;
    if (rc < 0)
        unlinkat(folder, temporary, 0);
    else
        rc = rename_over(folder, temporary, name, path, err);
    folder_sync(folder);
    return rc;
}

int swi_file_replace(const char *path, const char *text, size_t size, struct sw_error *err)
{
    const char *name = "";
    int folder = folder_open(path, &name, err);
    if (folder < 0)
        return SW_EIO;
    int rc = replace_at(folder, name, path, text, size, err);
    close(folder);
    return rc;
}

/* ---- standard descriptors
 * -------------------------------------------------------------------------------------
 */

/* What holds the place can be neither read nor written: all fails there as it did before. */
void swi_standard_hold(void)
{
    int fd;
    do
        fd = open("/", O_PATH | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Past stdio: a sink that hangs here holds no lock that the program's own printf() needs, and what
 * failed is known. A stdout without descriptor is the program's own invention. */
size_t swi_stdout_write(const char *text, size_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    int fd = fileno(stdout);
    fflush(stdout);
    size_t done = fd < 0 ? fwrite(text, 1, size, stdout) : swi_fd_write(fd, text, size);
    int saved = errno;
    pthread_mutex_unlock(&lock);
    errno = saved;
    return done;
}
