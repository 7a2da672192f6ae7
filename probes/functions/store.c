/* SPDX-License-Identifier: MIT */
#include "probes/functions/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct fn_header *fn_file;

static char path[PATH_MAX];
static int problem;

const char *fn_store_path(void)
{
    return path;
}

int fn_store_problem(void)
{
    return problem;
}

static void went_wrong(int why)
{
    if (!problem)
        problem = why;
    if (fn_file && !atomic_load(&fn_file->short_of))
        atomic_store(&fn_file->short_of, (uint32_t)why);
}

/* ---- the path: the program may change its folder later ---- */

static bool path_make(const char *folder, const char *program)
{
    char here[PATH_MAX] = "";
    if (*folder != '/' && !getcwd(here, sizeof here))
        return false;
    int size = snprintf(path, sizeof path, "%s%s%s/%s.%d.functions", here, *here ? "/" : "", folder,
                        program, (int)getpid());
    return size > 0 && (size_t)size < sizeof path;
}

/* Makes all missing folders of a path. */
static void folders_make(void)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* ---- mapping ---- */

void *fn_store_memory(void *at, size_t size)
{
    int fixed = at ? MAP_FIXED : 0;
    void *map = mmap(at, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

/* Beyond the limit on the size of files, ftruncate() would send SIGXFSZ. */
static bool is_allowed(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || size <= limit.rlim_cur;
}

/* flags: those of open(). Opens the file each time, because programs close descriptors that they do
 * not know, and reuse their numbers. */
static void *map_part(int flags, uint64_t at, size_t size)
{
    void *map = MAP_FAILED;
    if (!is_allowed(at + size)) {
        errno = EFBIG;
        return NULL;
    }
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
    if (fd < 0)
        return NULL;
    /* Never makes the file shorter, because two threads may come at once. */
    if (pwrite(fd, "", 1, (off_t)(at + size - 1)) == 1)
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)at);
    int why = errno;
    close(fd);
    errno = why;
    return map == MAP_FAILED ? NULL : map;
}

static void *part(int flags, uint64_t at, size_t size)
{
    int before = errno;
    void *map = problem ? NULL : map_part(flags, at, size);
    if (!map) {
        went_wrong(errno);
        map = fn_store_memory(NULL, size);
    }
    errno = before;
    return map;
}

/* Kernels before 5.14 have no MADV_POPULATE_WRITE. */
static bool allocate(void *from, size_t size)
{
    uint64_t at = 0;
    char *start = from;
    if (start >= (char *)fn_file && start < (char *)fn_file + fn_header_size())
        at = (uint64_t)(start - (char *)fn_file);
    else
        return true; /* a hole: it is written if there is room */
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool fine = fd >= 0 && (fallocate(fd, 0, (off_t)at, (off_t)size) == 0 || errno == EOPNOTSUPP);
    if (fd >= 0)
        close(fd);
    return fine;
}

void fn_store_need(void *from, size_t size)
{
    int before = errno;
    uintptr_t start = (uintptr_t)from / FN_PAGE * FN_PAGE;
    size_t whole = fn_pages((uintptr_t)from + size - start);
    bool fine = madvise((void *)start, whole, MADV_POPULATE_WRITE) == 0;
    if (!fine && errno == EINVAL)
        fine = allocate((void *)start, whole);
    if (!fine && fn_store_memory((void *)start, whole))
        went_wrong(ENOSPC);
    errno = before;
}

struct fn_thread *fn_store_thread(uint32_t number)
{
    return part(0, fn_thread_at(number), fn_thread_size());
}

bool fn_store_open(const char *folder, const char *program)
{
    if (!path_make(folder, program))
        went_wrong(ENAMETOOLONG);
    folders_make();
    unlink(path); /* the file is from a process that had the same number before */
    struct fn_header *file = part(O_CREAT | O_EXCL, 0, fn_header_size());
    if (!file)
        return false;
    fn_store_need(file, sizeof *file);
    memcpy(file->magic, FN_MAGIC, sizeof file->magic);
    file->header_size = (uint32_t)fn_header_size();
    file->thread_size = (uint32_t)fn_thread_size();
    file->pid = (uint32_t)getpid();
    fn_file = file;
    if (problem)
        went_wrong(problem);
    return true;
}

/* ---- names of actions ------------------------------------------------------------------------ */

static const char *(*name_of)(int action);

void fn_action_names_from(const char *(*action_name)(int action))
{
    name_of = action_name;
}

void fn_action_name_keep(int action)
{
    char *kept = fn_store_action(action);
    const char *name = name_of ? name_of(action) : NULL;
    fn_store_need(kept, FN_ACTION_NAME);
    if (!*kept && name)
        strncpy(kept, name, FN_ACTION_NAME - 1);
    if ((uint32_t)action >= atomic_load(&fn_file->actions))
        atomic_store(&fn_file->actions, (uint32_t)action + 1);
}
