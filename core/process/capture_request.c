/* SPDX-License-Identifier: MIT */
#include "core/process/capture_request.h"

#include <stepwatch/inspect.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
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
struct swi_request_page {
    uint64_t magic;
    int64_t steps;       /* of a capture for which no number is given */
    atomic_ullong count; /* number of requests */
    atomic_llong asked;  /* steps of the last request; 0: `steps` */
};

/* ---- the process that is asked --------------------------------------------------------------- */

/* The page must not shrink while it is mapped. */
static struct swi_request_page *page_map(int fd)
{
    void *memory = MAP_FAILED;
    if (ftruncate(fd, PAGE) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void swi_capture_request_open(struct swi_capture_request *request, int64_t steps)
{
    struct stat st;
    *request =
        (struct swi_capture_request){.fd = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (request->fd < 0)
        return;
    struct swi_request_page *page = fstat(request->fd, &st) == 0 ? page_map(request->fd) : NULL;
    if (!page) {
        close(request->fd);
        return;
    }
    request->device = st.st_dev;
    request->inode = st.st_ino;
    page->steps = steps;
    page->magic = MAGIC;
    request->page = page;
}

void swi_capture_request_close(struct swi_capture_request *request)
{
    struct stat st;
    if (!request->page)
        return;
    if (fstat(request->fd, &st) == 0 && st.st_dev == request->device && st.st_ino == request->inode)
        close(request->fd);
    munmap(request->page, PAGE);
    request->page = NULL;
}

int64_t swi_capture_request_take(struct swi_capture_request *request)
{
    uint64_t count = request->page ? atomic_load(&request->page->count) : request->taken;
    if (count == request->taken)
        return 0;
    request->taken = count;
    int64_t asked = atomic_load(&request->page->asked);
    return asked > 0 ? asked : request->page->steps;
}

/* ---- the process that asks ------------------------------------------------------------------- */

static bool is_request_page(int folder, const char *name)
{
    char target[64];
    ssize_t length = readlinkat(folder, name, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    return strcmp(target, LINK) == 0;
}

/* Returns how many steps will be recorded, or 0 if the file is not such a page. */
static int64_t request_from(int fd, int64_t steps)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || st.st_size != PAGE)
        return 0;
    struct swi_request_page *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return 0;
    int64_t asked = page->magic != MAGIC ? 0 : steps > 0 ? steps : page->steps;
    if (asked > 0) {
        atomic_store(&page->asked, steps);
        atomic_fetch_add(&page->count, 1);
    }
    munmap(page, PAGE);
    return asked;
}

/* Sends the request to each profiler of a process. */
static int64_t request_from_all(DIR *folder, int64_t steps)
{
    int64_t asked = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        int fd = is_request_page(dirfd(folder), entry->d_name)
                     ? openat(dirfd(folder), entry->d_name, O_RDWR | O_CLOEXEC)
                     : -1;
        int64_t here = fd >= 0 ? request_from(fd, steps) : 0;
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
    int64_t asked = request_from_all(folder, steps);
    closedir(folder);
    if (asked)
        return asked;
    return sw_error_set(err, SW_EINVAL,
                        "process %lld cannot be asked for a capture: it needs an open profiler "
                        "with the key capture, like profiler: {capture: {steps: 5}}",
                        (long long)pid);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    atomic_uint count;
    int users; /* under the lock */
} taken[2];

static int index_of(int signal)
{
    return signal == SIGUSR2;
}

static void on_signal(int signal)
{
    atomic_fetch_add(&taken[index_of(signal)].count, 1);
}

static bool is(int signal, void (*handler)(int))
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
           now.sa_handler == handler;
}

static bool install(int signal)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    return is(signal, SIG_DFL) && sigaction(signal, &action, NULL) == 0;
}

bool swi_capture_signal_take(int signal)
{
    pthread_mutex_lock(&lock);
    bool mine = is(signal, on_signal) || install(signal);
    taken[index_of(signal)].users += mine;
    pthread_mutex_unlock(&lock);
    return mine;
}

void swi_capture_signal_give(int signal)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigemptyset(&standard.sa_mask);
    pthread_mutex_lock(&lock);
    if (--taken[index_of(signal)].users == 0 && is(signal, on_signal))
        sigaction(signal, &standard, NULL);
    pthread_mutex_unlock(&lock);
}

unsigned swi_capture_signal_count(int signal)
{
    return atomic_load(&taken[index_of(signal)].count);
}

void swi_capture_signal_child(void)
{
    pthread_mutex_init(&lock, NULL);
}
