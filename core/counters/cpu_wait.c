/* SPDX-License-Identifier: MIT */
/* cpu_wait - how long the thread was ready and waited for a CPU, as the kernel's scheduler counts
 * it. The file belongs to the thread that opened it, so each thread opens its own, and it is closed
 * when the thread ends. */
#include "core/counters/counter.h"
#include "core/files/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t closing;
static _Thread_local int
    opened; /* the descriptor plus 1; 0 if not opened yet; -1 if it cannot be opened */
static _Thread_local struct swi_identity identity;

static void thread_ends(void *fd)
{
    swi_identity_close(&identity, (int)(intptr_t)fd - 1);
}

static void key_make(void)
{
    pthread_key_create(&closing, thread_ends);
}

static bool file_open(void)
{
    pthread_once(&once, key_make);
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    opened = fd < 0 ? -1 : fd + 1;
    identity = swi_identity_of(fd);
    if (fd >= 0)
        pthread_setspecific(closing, (void *)(intptr_t)opened);
    return fd >= 0;
}

/* The file has "run waiting slices", in nanoseconds. */
static bool cpu_wait_read(int64_t *value)
{
    char text[96];
    struct stat st;
    if (opened > 0 && !swi_identity_holds(&identity, opened - 1, &st))
        opened = 0; /* the program has closed it */
    if (opened < 0 || (!opened && !file_open()))
        return false;
    ssize_t size;
    do
        size = pread(opened - 1, text, sizeof text - 1, 0);
    while (size < 0 && errno == EINTR);
    if (size <= 0)
        return false;
    text[size] = '\0';
    const char *second = strchr(text, ' ');
    *value = second ? strtoll(second, NULL, 10) : 0;
    return second;
}

static int cpu_wait_open(struct sw_error *err)
{
    int64_t value;
    if (cpu_wait_read(&value))
        return 0;
    return sw_error_set(err, SW_EIO,
                        "/proc/thread-self/schedstat cannot be read: the kernel has no "
                        "CONFIG_SCHED_INFO, or /proc is not mounted");
}

const struct swi_counter swi_counter_cpu_wait = {
    .name = "cpu_wait",
    .label = "CPU Wait",
    .unit = "ns",
    .kind = SW_COUNTER_SUM,
    .help = "time in which the thread was ready and waited for a CPU",
    .open = cpu_wait_open,
    .read = cpu_wait_read,
};
