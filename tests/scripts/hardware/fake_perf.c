/* SPDX-License-Identifier: MIT */
/* fake_perf - preloaded: a processor whose events count by the thousand, for tests. Event i of a
 * group goes up by (i + 1) * 1000 at each reading. FAKE_ERRNO makes each event fail to open.
 * FAKE_EVENTS is a file that gets a line for each event: type, config, config1, and what is left
 * out. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

static void event_note(const struct perf_event_attr *attr)
{
    const char *path = getenv("FAKE_EVENTS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "type %u config 0x%llx config1 0x%llx%s\n", attr->type,
            (unsigned long long)attr->config, (unsigned long long)attr->config1,
            attr->exclude_kernel && attr->exclude_hv ? " without the kernel" : "");
    fclose(file);
}

static long event_open(const struct perf_event_attr *attr, int group)
{
    event_note(attr);
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

/* An event is recognised by its number, which is not 0. */
int ioctl(int fd, unsigned long request, ...)
{
    int (*real)(int, unsigned long, ...);
    va_list list;
    *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (request != PERF_EVENT_IOC_ID)
        return real(fd, request, argument);
    *(uint64_t *)argument = (uint64_t)fd + 1;
    return 0;
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
        return event_open((const struct perf_event_attr *)argument[0], (int)argument[3]);
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
