/* SPDX-License-Identifier: MIT */
/* disk.c - disks that fail, for a program run with LD_PRELOAD. By the environment variable DISK:
 *
 * blocked  each event file that it creates is a pipe with room for one page that nobody reads
 * eio      after the first 8 KiB every write to an event file fails with EIO */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

typedef int open_fn(const char *path, int flags, ...);
typedef ssize_t write_fn(int fd, const void *bytes, size_t size);

enum { WORKING = 8192 };

static int event_file = -1;
static size_t written;

static bool disk_is(const char *name)
{
    const char *disk = getenv("DISK");
    return disk && strcmp(disk, name) == 0;
}

static int open_pipe(open_fn *real, const char *path)
{
    mkfifo(path, 0600);
    int fd = real(path, O_RDWR | O_CLOEXEC);
    fcntl(fd, F_SETPIPE_SZ, 4096);
    return fd;
}

static int open_as(const char *symbol, const char *path, int flags, mode_t mode)
{
    open_fn *real;
    *(void **)&real = dlsym(RTLD_NEXT, symbol);
    bool ours = (flags & O_CREAT) && strstr(path, "tfevents");
    if (ours && disk_is("blocked"))
        return open_pipe(real, path);
    int fd = real(path, flags, mode);
    if (ours)
        event_file = fd;
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return open_as("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return open_as("open64", path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    write_fn *real;
    *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (fd != event_file || !disk_is("eio"))
        return real(fd, bytes, size);
    if (written >= WORKING) {
        errno = EIO;
        return -1;
    }
    size_t part = size < WORKING - written ? size : WORKING - written;
    written += part;
    return real(fd, bytes, part);
}
