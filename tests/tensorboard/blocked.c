/* SPDX-License-Identifier: MIT */
/* blocked.c - a disk that never answers, for a program run with LD_PRELOAD: each event file that it
 * creates is a pipe with room for one page that nobody reads. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

typedef int open_fn(const char *path, int flags, ...);

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
    if ((flags & O_CREAT) && strstr(path, "tfevents"))
        return open_pipe(real, path);
    return real(path, flags, mode);
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
