/* SPDX-License-Identifier: MIT */
/* own_files.c - keeps SQLite from using descriptors that the program has closed, whose numbers
 * belong to files of the program by now.
 *
 * SQLite does not tell which descriptors it has: those of the database, of its log and of the log's
 * index. So its own system calls are replaced, with the interface that SQLite has for that
 * (https://www.sqlite.org/c3ref/vfs.html: xSetSystemCall). If the program uses the same SQLite, its
 * databases pass through unchanged. */
#include "sinks/sqlite/database.h"
#include "core/files/identity.h"
#include "core/process/plugin_threads.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

/* Macros of musl: the names are needed here. */
#undef pread64
#undef pwrite64

/* ---- the files --------------------------------------------------------------------------------
 */

/* With more open files than that, the others are not checked: three for each sink. */
enum { FILES = 128 };

static struct swi_locked_file
    file[FILES];         /* used without a lock, for SQLite is called in children */
static atomic_int files; /* how many places were ever used */

/* Not NULL: the calling thread is that of a sink. */
SWI_THREAD_VALUE(ours)

static void file_forget(int fd)
{
    if (atomic_load(&files))
        swi_locked_remove(file, FILES, fd);
}

static void file_remember(int fd)
{
    swi_locked_add(file, FILES, fd);
    for (int used = FILES; used > atomic_load(&files); used--)
        if (atomic_load(&file[used - 1].fd))
            atomic_store(&files, used);
}

static bool holds(int i, int fd)
{
    struct stat st;
    struct swi_identity identity = {(dev_t)atomic_load(&file[i].device),
                                    (ino_t)atomic_load(&file[i].inode)};
    return swi_identity_holds(&identity, fd, &st);
}

/* Returns whether the descriptor is not one of ours, or is still the file that was opened. */
static bool is_fine(int fd)
{
    int used = atomic_load(&files), i = 0;
    while (i < used && atomic_load(&file[i].fd) != fd + 1)
        i++;
    if (i == used || holds(i, fd))
        return true;
    errno = EBADF;
    return false;
}

bool swi_own_files_were_closed(void)
{
    for (int i = 0; i < atomic_load(&files); i++) {
        int fd = atomic_load(&file[i].fd) - 1;
        if (fd >= 0 && !holds(i, fd))
            return true;
    }
    return false;
}

/* ---- system calls -----------------------------------------------------------------------------
 */

/* Calls that fail if the descriptor is not ours any more, each with what it returns then. */
#define CALLS(X)                                                                                   \
    X(ssize_t, read, -1, (int fd, void *to, size_t size), (fd, to, size))                          \
    X(ssize_t, pread, -1, (int fd, void *to, size_t size, off_t at), (fd, to, size, at))           \
    X(ssize_t, pread64, -1, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at))       \
    X(ssize_t, write, -1, (int fd, const void *from, size_t size), (fd, from, size))               \
    X(ssize_t, pwrite, -1, (int fd, const void *from, size_t size, off_t at),                      \
      (fd, from, size, at))                                                                        \
    X(ssize_t, pwrite64, -1, (int fd, const void *from, size_t size, off64_t at),                  \
      (fd, from, size, at))                                                                        \
    X(int, ftruncate, -1, (int fd, off_t size), (fd, size))                                        \
    X(int, fallocate, EBADF, (int fd, off_t at, off_t size), (fd, at, size))                       \
    X(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))                                          \
    X(int, fchown, -1, (int fd, uid_t user, gid_t group), (fd, user, group))                       \
    X(void *, mmap, (void *)-1,                                                                    \
      (void *at, size_t size, int protection, int flags, int fd, off_t from),                      \
      (at, size, protection, flags, fd, from))

#define POINTER(type, name, failed, parameters, arguments) type(*name) parameters;

/* What SQLite calls without us. */
static struct {
    int (*open)(const char *path, int flags, int mode);
    int (*close)(int fd);
    int (*fcntl)(int fd, int command, ...);
    CALLS(POINTER)
} original;

#define GUARDED(type, name, failed, parameters, arguments)                                         \
    static type guarded_##name parameters                                                          \
    {                                                                                              \
        return is_fine(fd) ? original.name arguments : (failed);                                   \
    }
CALLS(GUARDED)

static int guarded_open(const char *path, int flags, int mode)
{
    int fd = original.open(path, flags, mode);
    file_forget(fd); /* the number is free for a new file */
    if (fd >= 0 && ours_get())
        file_remember(fd);
    return fd;
}

/* What belongs to the program by now stays open. */
static int guarded_close(int fd)
{
    bool fine = is_fine(fd);
    file_forget(fd);
    return fine ? original.close(fd) : 0;
}

static int guarded_fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    return is_fine(fd) ? original.fcntl(fd, command, argument) : -1;
}

/* ---- replacing them ---------------------------------------------------------------------------
 */

#define CALL(name)                                                                                 \
    {                                                                                              \
#name, (sqlite3_syscall_ptr *)&original.name, (sqlite3_syscall_ptr)guarded_##name          \
    }
#define ROW(type, name, failed, parameters, arguments) CALL(name),

static const struct {
    const char *name;
    sqlite3_syscall_ptr *original;
    sqlite3_syscall_ptr guarded;
} calls[] = {CALL(open), CALL(close), CALL(fcntl), CALLS(ROW)};

/* A SQLite that was built without one of them does not have its name. They stay replaced: another
 * thread may be in one of them at any time. */
static void calls_replace(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    if (!vfs || vfs->iVersion < 3 || !vfs->xGetSystemCall)
        return;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        *calls[i].original = vfs->xGetSystemCall(vfs, calls[i].name);
        if (*calls[i].original)
            vfs->xSetSystemCall(vfs, calls[i].name, calls[i].guarded);
    }
}

void swi_own_files_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, calls_replace);
    ours_set(file);
}
