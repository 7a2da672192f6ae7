/* SPDX-License-Identifier: MIT */
#include "core/files/file.h"
#include "core/text/io_code.h"
#include "core/files/identity.h"
#include "core/files/in_place.h"
#include "core/files/walk.h"
#include "core/text/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct sw_error *err, const char *path, const char *what)
{
    return sw_error_set(err, swi_io_code(errno), "%s: %s: %s", path, what, strerror(errno));
}

/* ---- folders --------------------------------------------------------------------------------- */

static int walk_failed(const struct swi_walk *walk, const char *path, struct sw_error *err)
{
    errno = walk->reason;
    if (errno == ENAMETOOLONG)
        return refuse(err, path, "cannot be made");
    sw_error_prefix(err, "%s", path);
    return err->code = swi_io_code(walk->reason);
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

/* Gives the temporary file its name. If the file with this name cannot be replaced, opens that,
 * emptied, and sets same to its descriptor, else to -1. */
static int rename_or_stay(int folder, const char *temporary, const char *name, int *same,
                          const char *path, struct sw_error *err)
{
    *same = -1;
    if (renameat(folder, temporary, folder, name) == 0)
        return 0;
    int reason = errno;
    unlinkat(folder, temporary, 0);
    if (swi_stays_in_place(reason))
        *same = swi_target_empty(folder, name);
    errno = reason;
    return *same >= 0 ? 0 : refuse(err, path, "cannot be replaced");
}

/* Opens a temporary file. If the folder does not allow one, opens the file itself, emptied:
 * temporary is "" then. */
static int temporary_or_same(int folder, const char *name, char temporary[NAME_MAX + 1],
                             const char *path, struct sw_error *err)
{
    int fd = temporary_open(folder, name, temporary), reason = errno;
    if (fd >= 0)
        return fd;
    temporary[0] = '\0';
    if (swi_stays_in_place(reason))
        fd = swi_target_empty(folder, name);
    errno = reason;
    return fd >= 0 ? fd : refuse(err, path, "cannot be created");
}

/* The new file has its final name at once, so that it can be watched, and replaces the old one
 * completely. */
static int create_at(int folder, const char *name, const char *path, struct sw_error *err)
{
    char temporary[NAME_MAX + 1];
    struct swi_target target;
    if (swi_target_open(folder, name, path, &target, err) < 0)
        return SW_EIO;
    if (target.special >= 0)
        return target.special;
    int fd = temporary_or_same(folder, name, temporary, path, err);
    if (fd < 0 || !*temporary)
        return fd;
    int same, rc = rename_or_stay(folder, temporary, name, &same, path, err);
    if (rc < 0 || same >= 0)
        close(fd);
    return rc < 0 ? rc : same >= 0 ? same : fd;
}

/* Writes the content of a file into another one that cannot be replaced. Returns false with errno.
 */
static bool move_in_place(const char *from, int folder, const char *name)
{
    int source = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int fd = source < 0 ? -1 : swi_target_empty(folder, name);
    bool copied = fd >= 0 && swi_content_copy(source, fd);
    int saved = errno;
    if (fd >= 0 && close(fd) != 0)
        copied = false;
    if (source >= 0)
        close(source);
    errno = saved;
    return copied && unlink(from) == 0;
}

int swi_file_move(const char *from, const char *path, struct sw_error *err)
{
    struct swi_walk walk;
    int rc = folder_open(&walk, path, err);
    if (rc < 0)
        return rc;
    if (renameat(AT_FDCWD, from, walk.folder, walk.rest) != 0) {
        int reason = errno;
        if (!swi_stays_in_place(reason) || !move_in_place(from, walk.folder, walk.rest)) {
            errno = reason;
            rc = refuse(err, path, "cannot be written");
        }
    }
    swi_walk_end(&walk);
    return rc;
}

int swi_file_create(const char *path, struct sw_error *err)
{
    struct swi_walk walk;
    int rc = folder_open(&walk, path, err);
    if (rc < 0)
        return rc;
    int fd = create_at(walk.folder, walk.rest, path, err);
    swi_walk_end(&walk);
    return fd;
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
    struct swi_target target;
    if (swi_target_open(folder, name, path, &target, err) < 0)
        return SW_EIO;
    bool special = target.special >= 0;
    int fd = special ? target.special : temporary_or_same(folder, name, temporary, path, err);
    if (fd < 0)
        return fd;
    int rc = content_write(fd, path, text, size, target.has_content && !special, err);
    if (special || !*temporary)
        return rc;
    if (rc < 0) {
        unlinkat(folder, temporary, 0);
        return rc;
    }
    rc = rename_or_stay(folder, temporary, name, &fd, path, err);
    return rc < 0 || fd < 0 ? rc : content_write(fd, path, text, size, true, err);
}

int swi_file_replace(const char *path, const char *text, size_t size, struct sw_error *err)
{
    struct swi_walk walk;
    int rc = folder_open(&walk, path, err);
    if (rc < 0)
        return rc;
    rc = replace_at(walk.folder, walk.rest, path, text, size, err);
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
