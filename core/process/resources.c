/* SPDX-License-Identifier: MIT */
#include "core/process/resources.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *open_of(int thread, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread, name);
    return fopen(path, "re");
}

static int64_t count_of(int thread)
{
    char line[128];
    int64_t count = -1;
    FILE *file = open_of(thread, "status");
    while (file && count < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "nonvoluntary_ctxt_switches: %" SCNd64, &count) != 1)
            count = -1;
    if (file)
        fclose(file);
    return count;
}

/* The file has how long the thread ran, and how long it waited on a run queue. */
static int64_t waited_of(int thread)
{
    int64_t waited = -1;
    FILE *file = open_of(thread, "schedstat");
    if (file && fscanf(file, "%*d %" SCNd64, &waited) != 1)
        waited = -1;
    if (file)
        fclose(file);
    return waited;
}

struct swi_preemptions swi_preemptions_of(int thread)
{
    return (struct swi_preemptions){count_of(thread), waited_of(thread)};
}

/* Takes a line such as "VmRSS:	  1234 kB". */
static void line_take(struct swi_resident *resident, const char *line)
{
    if (strncmp(line, "VmRSS:", 6) == 0)
        resident->now = 1024 * strtoll(line + 6, NULL, 10);
    else if (strncmp(line, "VmHWM:", 6) == 0)
        resident->peak = 1024 * strtoll(line + 6, NULL, 10);
}

/* Takes the whole lines of a text, and moves the rest to its start. Returns how long that is. */
static size_t lines_take(struct swi_resident *resident, char *text, size_t size)
{
    char *line = text;
    for (char *end; (end = memchr(line, '\n', size - (size_t)(line - text)));) {
        *end = '\0';
        line_take(resident, line);
        line = end + 1;
    }
    size -= (size_t)(line - text);
    memmove(text, line, size);
    return size;
}

/* Reads all of the file in a small room, for it may be read when little is left: the line of a user
 * in a thousand groups is longer than that, and comes first. */
static void status_read(struct swi_resident *resident)
{
    char text[1024];
    size_t used = 0;
    ssize_t size = 0;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    while ((size = read(fd, text + used, sizeof text - used)) > 0 || (size < 0 && errno == EINTR)) {
        used = lines_take(resident, text, used + (size > 0 ? (size_t)size : 0));
        if (used == sizeof text)
            used = 0;
    }
    close(fd);
}

struct swi_resident swi_resident(void)
{
    struct swi_resident resident = {0};
    int error = errno;
    status_read(&resident);
    errno = error;
    return resident;
}

struct gpu_found {
    char *name;
    size_t size;
};

/* CUDA's driver, AMD's HIP, and oneAPI's Level Zero. */
static bool is_runtime(const char *name)
{
    static const char *const names[] = {"libcuda.so", "libamdhip64.so", "libze_loader.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static int library_match(struct dl_phdr_info *library, size_t size, void *arg)
{
    struct gpu_found *found = arg;
    const char *slash = strrchr(library->dlpi_name, '/');
    const char *name = slash ? slash + 1 : library->dlpi_name;
    (void)size;
    if (!is_runtime(name))
        return 0;
    snprintf(found->name, found->size, "%s", name);
    return 1;
}

bool swi_gpu_runtime(char *name, size_t size)
{
    struct gpu_found found = {name, size};
    *name = '\0';
    return dl_iterate_phdr(library_match, &found) == 1;
}
