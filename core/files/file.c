/* SPDX-License-Identifier: MIT */
#include "core/files/file.h"
#include "core/files/identity.h"
#include "core/files/walk.h"

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

/* ---- folders --------------------------------------------------------------------------------- */

static int walk_failed(const struct swi_walk *walk, const char *path, struct sw_error *err)
{
    errno = walk->reason;
    if (errno == ENAMETOOLONG)
        return refuse(err, path, "cannot be made");
    sw_error_prefix(err, "%s", path);
    return SW_EIO;
}

/* Walks to the folder of an absolute path and creates what is missing. The file's name is left in
 * walk->rest. */
static int folder_open(struct swi_walk *walk, const char *path, struct sw_error *err)
{
    *walk = (struct swi_walk){.make = true, .folder = -1};
    int rc = swi_walk_begin(walk, path, err);
    if (rc == 0)
        rc = swi_walk_to_last(walk, err);
    if (rc < 0)
        rc = walk_failed(walk, path, err);
    else if (!*walk->rest)
        rc = sw_error_set(err, SW_EIO, "%s: is a folder, expected a file", path);
    if (rc < 0)
        swi_walk_end(walk);
    return rc;
}

int swi_path_check(const char *path, struct sw_error *err)
{
    struct swi_walk walk = {.folder = -1};
    struct stat st;
    int rc = swi_walk_begin(&walk, path, err);
    int fd = rc < 0 ? rc : swi_walk_open(&walk, &st, err);
    bool refused = fd < 0 && !walk.reason;
    if (fd >= 0)
        close(fd);
    swi_walk_end(&walk);
    /* The code that opens the file reports what is missing or cannot be entered. */
    return refused ? walk_failed(&walk, path, err) : 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Creates a temporary file with a unique name in the same folder. O_APPEND: another program may
 * truncate the file later (logrotate's copytruncate). */
static int temporary_open(int folder, const char *name, char temporary[NAME_MAX + 1])
{
    enum { ATTEMPTS = 100 };
    static atomic_uint number;
    int fd = -1;
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < ATTEMPTS; i++) {
        snprintf(temporary, NAME_MAX + 1, ".%.200s.%d-%u", name, (int)getpid(),
                 atomic_fetch_add(&number, 1));
        fd = openat(folder, temporary,
                    O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_WRONLY | O_APPEND, 0666);
    }
    return swi_above_standard(fd);
}

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

static int target_check(int folder, const struct stat *st, const char *path, bool *special,
                        struct sw_error *err)
{
    if (S_ISLNK(st->st_mode))
        return sw_error_set(err, SW_EIO,
                            "%s: is a symbolic link, which is not followed: name the file itself "
                            "(- is stdout)",
                            path);
    if (S_ISDIR(st->st_mode))
        return sw_error_set(err, SW_EIO, "%s: is a folder, expected a file", path);
    *special = !S_ISREG(st->st_mode);
    return *special ? special_check(folder, st, path, err) : 0;
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

/* What has the name before anything is written. */
struct target {
    int special;      /* a descriptor for writing if it is a device or a FIFO, else -1 */
    bool has_content; /* a regular file that is not empty */
};

/* Opens a device or a FIFO that has this name. */
static int target_open(int folder, const char *name, const char *path, struct target *target,
                       struct sw_error *err)
{
    struct stat st;
    bool is_special = false;
    *target = (struct target){.special = -1};
    int seen = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (seen < 0)
        return errno == ENOENT ? 0 : refuse(err, path, "cannot be created");
    int rc = fstat(seen, &st) < 0 ? refuse(err, path, "cannot be created")
                                  : target_check(folder, &st, path, &is_special, err);
    if (is_special && rc == 0)
        rc = target->special = special_open(folder, name, seen, path, err);
    target->has_content = rc == 0 && st.st_size > 0;
    close(seen);
    return rc < 0 ? rc : 0;
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

/* The new file has its final name at once, so that it can be watched, and replaces the old one
 * completely. */
static int create_at(int folder, const char *name, const char *path, struct sw_error *err)
{
    char temporary[NAME_MAX + 1];
    struct target target;
    if (target_open(folder, name, path, &target, err) < 0)
        return SW_EIO;
    if (target.special >= 0)
        return target.special;
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
    struct swi_walk walk;
    if (folder_open(&walk, path, err) < 0)
        return SW_EIO;
    int fd = create_at(walk.folder, walk.rest, path, err);
    swi_walk_end(&walk);
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

/* Some file systems cannot sync. That is not an error. */
static bool sync_to_disk(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL;
}

/* Writes and closes. lasting: waits until the content is on the disk, which may take long. */
static int content_write(int fd, const char *path, const char *text, size_t size, bool lasting,
                         struct sw_error *err)
{
    int rc = 0;
    if (swi_fd_write(fd, text, size) < size || (lasting && !sync_to_disk(fd)))
        rc = refuse(err, path, "cannot be written");
    if (close(fd) != 0 && rc == 0)
        rc = refuse(err, path, "cannot be closed");
    return rc;
}

/* After a power failure, a file system may know the new name but not the content yet. So
 * older content is replaced only when the new one is on the disk. A new file need not wait. */
static int replace_at(int folder, const char *name, const char *path, const char *text, size_t size,
                      struct sw_error *err)
{
    char temporary[NAME_MAX + 1];
    struct target target;
    if (target_open(folder, name, path, &target, err) < 0)
        return SW_EIO;
    bool special = target.special >= 0;
    int fd = special ? target.special : temporary_open(folder, name, temporary);
    if (fd < 0)
        return refuse(err, path, "cannot be created");
    int rc = content_write(fd, path, text, size, target.has_content && !special, err);
    if (special)
        return rc;
    if (rc < 0)
        unlinkat(folder, temporary, 0);
    else
        rc = rename_over(folder, temporary, name, path, err);
    return rc;
}

int swi_file_replace(const char *path, const char *text, size_t size, struct sw_error *err)
{
    struct swi_walk walk;
    if (folder_open(&walk, path, err) < 0)
        return SW_EIO;
    int rc = replace_at(walk.folder, walk.rest, path, text, size, err);
    swi_walk_end(&walk);
    return rc;
}

/* ---- stdout ---------------------------------------------------------------------------------- */

static pthread_mutex_t stdout_lock = PTHREAD_MUTEX_INITIALIZER;

void swi_stdout_child(void)
{
    pthread_mutex_init(&stdout_lock, NULL);
}

static struct {
    atomic_ullong device, inode;
} standard[STDERR_FILENO + 1];

void swi_standard_note(void)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct swi_identity identity = swi_identity_of(fd);
        atomic_store(&standard[fd].device, identity.device);
        atomic_store(&standard[fd].inode, identity.inode);
    }
}

bool swi_standard_is_output(int fd)
{
    struct stat st;
    if (fd < STDOUT_FILENO || fd > STDERR_FILENO || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        (st.st_dev == atomic_load(&standard[fd].device) &&
         st.st_ino == atomic_load(&standard[fd].inode)))
        return true;
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || (flags & O_ACCMODE) != O_RDWR || flags & O_APPEND;
}

/* Bypasses stdio: a sink that hangs here holds no lock that the program's printf() needs, and
 * errors are seen. A stdout without a descriptor is a stream that the program made. */
size_t swi_stdout_write(const char *text, size_t size)
{
    pthread_mutex_lock(&stdout_lock);
    int fd = fileno(stdout);
    size_t done = 0;
    errno = EBADF;
    if (fd < 0 || swi_standard_is_output(fd)) {
        fflush(stdout);
        done = fd < 0 ? fwrite(text, 1, size, stdout) : swi_fd_write(fd, text, size);
    }
    int saved = errno;
    pthread_mutex_unlock(&stdout_lock);
    errno = saved;
    return done;
}
