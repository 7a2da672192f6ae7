/* SPDX-License-Identifier: MIT */
/* fake_perf - preloaded: a processor whose events count by the thousand, for tests. Event i of a
 * group goes up by (i + 1) * 1000 at each reading. FAKE_ERRNO makes each event fail to open. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int leader = -1;
static uint64_t members, readings, lost;

/* The events have no register for a while. */
void fake_gap(void);
void fake_gap(void)
{
    lost += 500;
}

static long event_open(int group)
{
    const char *error = getenv("FAKE_ERRNO");
    if (error) {
        errno = atoi(error);
        return -1;
    }
    int fd = memfd_create("event", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return -1;
    if (group < 0)
        leader = fd;
    members++;
    return fd;
}

long syscall(long number, ...)
{
    long argument[6];
    long (*real)(long, ...);
    va_list list;
    *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open)
        return event_open((int)argument[3]);
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                argument[5]);
}

ssize_t read(int fd, void *to, size_t size)
{
    ssize_t (*real)(int, void *, size_t);
    uint64_t all[16] = {members, 0, 0};
    *(void **)&real = dlsym(RTLD_NEXT, "read");
    if (fd != leader || leader < 0)
        return real(fd, to, size);
    all[1] = 1000 * ++readings;
    all[2] = all[1] - lost;
    for (uint64_t i = 0; i < members; i++)
        all[3 + i] = (i + 1) * 1000 * readings;
    memcpy(to, all, (3 + members) * sizeof *all);
    return (ssize_t)((3 + members) * sizeof *all);
}
