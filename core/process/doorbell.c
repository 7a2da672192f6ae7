/* SPDX-License-Identifier: MIT */
#include "core/process/doorbell.h"

#include <stepwatch/inspect.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "stepwatch-capture"
#define LINK "/memfd:" NAME " (deleted)"
#define MAGIC UINT64_C(0x314c4c4542575331) /* another layout must have another number */
enum { PAGE = 4096 };

/* The memory that both processes map. */
struct swi_bell {
    uint64_t magic;
    int64_t steps;       /* of a capture for which no number is given */
    atomic_ullong rings; /* number of requests */
    atomic_llong asked;  /* steps of the last request; 0: `steps` */
};

/* ---- the process that is asked ------------------------------------------------------------------
 */

/* The page must not shrink while it is mapped. */
static struct swi_bell *bell_map(int fd)
{
    void *memory = MAP_FAILED;
    if (ftruncate(fd, PAGE) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void swi_doorbell_open(struct swi_doorbell *door, int64_t steps)
{
    struct stat st;
    *door = (struct swi_doorbell){.fd = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (door->fd < 0)
        return;
    struct swi_bell *bell = fstat(door->fd, &st) == 0 ? bell_map(door->fd) : NULL;
    if (!bell) {
        close(door->fd);
        return;
    }
    door->device = st.st_dev;
    door->inode = st.st_ino;
    bell->steps = steps;
    bell->magic = MAGIC;
    door->bell = bell;
}

void swi_doorbell_close(struct swi_doorbell *door)
{
    struct stat st;
    if (!door->bell)
        return;
    if (fstat(door->fd, &st) == 0 && st.st_dev == door->device && st.st_ino == door->inode)
        close(door->fd);
    munmap(door->bell, PAGE);
    door->bell = NULL;
}

int64_t swi_doorbell_rung(struct swi_doorbell *door)
{
    uint64_t rings = door->bell ? atomic_load(&door->bell->rings) : door->heard;
    if (rings == door->heard)
        return 0;
    door->heard = rings;
    int64_t asked = atomic_load(&door->bell->asked);
    return asked > 0 ? asked : door->bell->steps;
}

/* ---- the process that asks ----------------------------------------------------------------------
 */

static bool is_bell(int folder, const char *name)
{
    char target[64];
    ssize_t length = readlinkat(folder, name, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    return strcmp(target, LINK) == 0;
}

/* Returns how many steps will be recorded, or 0 if the file is not a doorbell. */
static int64_t ring(int fd, int64_t steps)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || st.st_size != PAGE)
        return 0;
    struct swi_bell *bell = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bell == MAP_FAILED)
        return 0;
    int64_t asked = bell->magic != MAGIC ? 0 : steps > 0 ? steps : bell->steps;
    if (asked > 0) {
        atomic_store(&bell->asked, steps);
        atomic_fetch_add(&bell->rings, 1);
    }
    munmap(bell, PAGE);
    return asked;
}

/* Rings all bells of a process, which may have several profilers. */
static int64_t rings(DIR *folder, int64_t steps)
{
    int64_t asked = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        int fd = is_bell(dirfd(folder), entry->d_name)
                     ? openat(dirfd(folder), entry->d_name, O_RDWR | O_CLOEXEC)
                     : -1;
        int64_t here = fd >= 0 ? ring(fd, steps) : 0;
        asked = here > asked ? here : asked;
        if (fd >= 0)
            close(fd);
    }
    return asked;
}

int64_t sw_capture_process(int64_t pid, int64_t steps, struct sw_error *err)
{
    char path[64];
    sw_error_init(err);
    if (pid < 1 || steps < 0)
        return sw_error_set(err, SW_EINVAL, "%lld is not the number of a process", (long long)pid);
    snprintf(path, sizeof path, "/proc/%lld/fd", (long long)pid);
    DIR *folder = opendir(path);
    if (!folder && errno == ENOENT)
        return sw_error_set(err, SW_EINVAL, "there is no process %lld", (long long)pid);
    if (!folder)
        return sw_error_set(err, SW_EIO, "process %lld: %s", (long long)pid, strerror(errno));
    int64_t asked = rings(folder, steps);
    closedir(folder);
    if (asked)
        return asked;
    return sw_error_set(err, SW_EINVAL,
                        "process %lld cannot be asked for a capture: it needs an open profiler "
                        "with the key capture, like profiler: {capture: {steps: 5}}",
                        (long long)pid);
}
