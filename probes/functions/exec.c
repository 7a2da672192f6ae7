/* SPDX-License-Identifier: MIT */
/* Handles exec(): a pending signal of a timer would end the new program. */
#include "probes/functions/libc_calls.h"
#include "probes/functions/cpu_samples.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#if defined(PIC) && defined(__GLIBC__)
#define FN_PUBLIC __attribute__((visibility("default")))

static int failed(int rc)
{
    int why = errno;
    fn_sampling_release();
    errno = why;
    return rc;
}

FN_PUBLIC int execve(const char *path, char *const argv[], char *const environment[])
{
    fn_sampling_hold();
    return failed(fn_libc()->execve(path, argv, environment));
}

FN_PUBLIC int execvpe(const char *file, char *const argv[], char *const environment[])
{
    fn_sampling_hold();
    return failed(fn_libc()->execvpe(file, argv, environment));
}

FN_PUBLIC int fexecve(int fd, char *const argv[], char *const environment[])
{
    fn_sampling_hold();
    return failed(fn_libc()->fexecve(fd, argv, environment));
}

FN_PUBLIC int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

FN_PUBLIC int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

/* ---- arguments one by one ---- */

/* Up to NULL. */
static size_t count_of(va_list given)
{
    size_t count = 1;
    va_list args;
    va_copy(args, given);
    while (va_arg(args, const char *))
        count++;
    va_end(args);
    return count;
}

static void list_fill(char **list, size_t count, const char *first, va_list *args)
{
    list[0] = (char *)first;
    for (size_t i = 1; i <= count; i++)
        list[i] = va_arg(*args, char *);
}

/* On the stack, like libc does, because this also runs after vfork(). */
#define LIST(first)                                                                                \
    va_list args;                                                                                  \
    va_start(args, first);                                                                         \
    size_t count = count_of(args);                                                                 \
    char **list = __builtin_alloca((count + 1) * sizeof *list);                                    \
    list_fill(list, count, first, &args)

FN_PUBLIC int execl(const char *path, const char *first, ...)
{
    LIST(first);
    va_end(args);
    return execve(path, list, environ);
}

FN_PUBLIC int execlp(const char *file, const char *first, ...)
{
    LIST(first);
    va_end(args);
    return execvpe(file, list, environ);
}

FN_PUBLIC int execle(const char *path, const char *first, ...)
{
    LIST(first);
    char *const *environment = va_arg(args, char *const *);
    va_end(args);
    return execve(path, list, environment);
}
#endif
