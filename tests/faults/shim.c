/* SPDX-License-Identifier: MIT */
/* shim.c - preloaded, it lets one call fail that stepwatch or a sink makes.
 *
 *     SHIM_FAIL=KIND:FIRST[:COUNT[:ERRNO]]
 *
 * KIND: malloc open write fsync rename pthread_create dlopen
 * COUNT: how many from the first on; 1, or -1 for all
 *
 *     SHIM_LOG=FILE
 *
 * gets at exit "calls N", "seen PLACE" for each place that called, and "failed PLACE" for those
 * that were let down.
 *
 *     SHIM_PLACE=PLACE
 *
 * lets only that place down. Counted are calls with code of stepwatch among their callers; of the
 * program and of the loader none.
 *
 *     SHIM_SLOW=MILLISECONDS
 *
 * makes each write of stepwatch take so long, as on a slow disk.
 *
 *     SHIM_CLOCK=SECONDS
 *
 * sets the clock of the day forth by so much and back again, at each seventh look at it.
 *
 *     SHIM_TIME=FILE
 *
 * moves the kernel's monotonic clock and, with SHIM_COUNTER=1, the CPU's counter as stepwatch reads
 * it, by what struct moved in the file says at the time. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { PLACES = 2048, FRAMES = 48, KNOWN = 8192 };
enum kind { MALLOC, OPEN, WRITE, FSYNC, RENAME, THREAD, DLOPEN, NONE };
static const char *const kinds[] = {"malloc", "open",           "write", "fsync",
                                    "rename", "pthread_create", "dlopen"};
static const int usual[] = {ENOMEM, EMFILE, EIO, EIO, EIO, EAGAIN, ENOENT};

static enum kind failing = NONE;
static long first, count = 1;
static int reason;
static const char *wanted_place;
static atomic_long calls;
static _Atomic(void *) seen[PLACES], failed[PLACES];
static __thread bool inside __attribute__((tls_model("initial-exec")));

/* ---- who calls ------------------------------------------------------------------------------- */

/* By the file alone: the tree may lie in a folder of any name. */
static bool is_ours(const char *object)
{
    const char *slash = strrchr(object, '/');
    const char *file = slash ? slash + 1 : object;
    return strncmp(file, "libstepwatch", strlen("libstepwatch")) == 0 ||
           strstr(object, "/sinks/.libs/");
}

/* Looked up once for each address: the loader takes its time. */
static bool address_is_ours(void *address)
{
    static _Atomic(uintptr_t) known[KNOWN];
    uintptr_t key = (uintptr_t)address << 1;
    _Atomic(uintptr_t) *entry = &known[((uintptr_t)address >> 1) % KNOWN];
    uintptr_t found = *entry;
    Dl_info info;
    if ((found | 1) == (key | 1))
        return found & 1;
    bool ours = dladdr(address, &info) && info.dli_fname && is_ours(info.dli_fname);
    *entry = key | ours;
    return ours;
}

/* The innermost caller in stepwatch's own code, or NULL. */
static void *place(void)
{
    void *frames[FRAMES];
    int n = backtrace(frames, FRAMES);
    for (int i = 2; i < n; i++)
        if (address_is_ours(frames[i]))
            return frames[i];
    return NULL;
}

static void remember(_Atomic(void *) *places, void *what)
{
    for (int i = 0; i < PLACES; i++) {
        void *expected = NULL;
        if (atomic_compare_exchange_strong(&places[i], &expected, what) || expected == what)
            return;
    }
}

static void place_name(void *address, char *name, size_t size)
{
    Dl_info info;
    name[0] = '\0';
    if (!dladdr(address, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(name, size, "%s+%#lx", slash ? slash + 1 : info.dli_fname,
             (unsigned long)((char *)address - (char *)info.dli_fbase));
}

static bool is_wanted(void *address)
{
    char name[256];
    if (!wanted_place)
        return true;
    place_name(address, name, sizeof name);
    return strcmp(name, wanted_place) == 0;
}

/* Whether this call is to fail; sets errno then. */
static bool fails(enum kind kind)
{
    if (kind != failing || inside)
        return false;
    int saved = errno;
    inside = true;
    void *from = place();
    bool counts = from && is_wanted(from);
    if (from)
        remember(seen, from);
    inside = false;
    errno = saved;
    if (!counts)
        return false;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number < first || (count >= 0 && number >= first + count))
        return false;
    remember(failed, from);
    errno = reason;
    return true;
}

/* ---- the calls ------------------------------------------------------------------------------- */

#define REAL(name) (__extension__(__typeof__(&name)) real(&real_##name, #name))

static void *real(_Atomic(void *) *address, const char *name)
{
    if (!*address)
        *address = dlsym(RTLD_NEXT, name);
    return *address;
}

static _Atomic(void *) real_malloc, real_calloc, real_realloc, real_aligned_alloc, real_open,
    real_openat, real_write, real_fsync, real_rename, real_renameat, real_pthread_create,
    real_dlopen, real_clock_gettime, real_pthread_cond_timedwait;

EXPORT void *malloc(size_t size)
{
    return fails(MALLOC) ? NULL : REAL(malloc)(size);
}

EXPORT void *calloc(size_t items, size_t size)
{
    return fails(MALLOC) ? NULL : REAL(calloc)(items, size);
}

EXPORT void *realloc(void *old, size_t size)
{
    return fails(MALLOC) ? NULL : REAL(realloc)(old, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(MALLOC) ? NULL : REAL(aligned_alloc)(alignment, size);
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fails(OPEN) ? -1 : REAL(open)(path, flags, mode);
}

EXPORT int openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fails(OPEN) ? -1 : REAL(openat)(folder, path, flags, mode);
}

static long slow_ms;

/* Waits if stepwatch calls. */
static void wait_as_a_slow_disk(void)
{
    const struct timespec wait = {slow_ms / 1000, slow_ms % 1000 * 1000000};
    if (!slow_ms || inside)
        return;
    inside = true;
    if (place())
        nanosleep(&wait, NULL);
    inside = false;
}

EXPORT ssize_t write(int fd, const void *data, size_t size)
{
    wait_as_a_slow_disk();
    return fails(WRITE) ? -1 : REAL(write)(fd, data, size);
}

EXPORT int fsync(int fd)
{
    return fails(FSYNC) ? -1 : REAL(fsync)(fd);
}

EXPORT int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : REAL(rename)(from, to);
}

EXPORT int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return fails(RENAME) ? -1 : REAL(renameat)(from_folder, from, to_folder, to);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *arg)
{
    return fails(THREAD) ? reason : REAL(pthread_create)(thread, attributes, run, arg);
}

/* The loader has to have a text for what failed. */
EXPORT void *dlopen(const char *path, int flags)
{
    return REAL(dlopen)(fails(DLOPEN) ? "/nowhere/refused-by-the-shim.so" : path, flags);
}

/* ---- the clock of the day -------------------------------------------------------------------- */

static long jump;

static time_t jumped(void)
{
    static atomic_long looks;
    return jump && atomic_fetch_add(&looks, 1) / 7 % 2 ? jump : 0;
}

/* ---- the kernel's monotonic clock, and the counter ------------------------------------------- */

static struct moved {
    _Atomic int64_t kernel_ns;     /* added to the monotonic clock */
    _Atomic int64_t frozen_ns;     /* not 0: all that the clock says */
    _Atomic int64_t counter_ticks; /* added to the counter */
    _Atomic int64_t counter_is;    /* not 0: what the counter is set to when it is read next */
} none, *moved = &none;

static void nanoseconds_add(struct timespec *time, int64_t ns)
{
    ns += time->tv_nsec;
    time->tv_sec += ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    if (time->tv_nsec < 0) {
        time->tv_nsec += 1000000000;
        time->tv_sec--;
    }
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    int rc = REAL(clock_gettime)(clock, now);
    if (clock == CLOCK_REALTIME)
        now->tv_sec += jumped();
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_RAW)
        return rc;
    if (moved->frozen_ns)
        *now = (struct timespec){0};
    nanoseconds_add(now, moved->frozen_ns ? moved->frozen_ns : moved->kernel_ns);
    return rc;
}

/* The kernel waits by its own clock. */
EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                                  pthread_mutex_t *restrict mutex,
                                  const struct timespec *restrict until)
{
    struct timespec real_until = *until;
    nanoseconds_add(&real_until, -moved->kernel_ns);
    return REAL(pthread_cond_timedwait)(condition, mutex, &real_until);
}

static void *time_open(const char *path)
{
    int fd = path ? REAL(open)(path, O_RDWR | O_CLOEXEC) : -1;
    void *file =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return file == MAP_FAILED ? &none : file;
}

#if defined(__x86_64__)
#include <x86intrin.h>

static uintptr_t library_begin, library_end;

static int library_find(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    const char *slash = strrchr(object->dlpi_name, '/');
    if (!slash || strncmp(slash + 1, "libstepwatch.so", 15) != 0)
        return 0;
    library_begin = object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD)
            library_end =
                object->dlpi_addr + object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz;
    return 1;
}

static int64_t counter_read(bool is_moved)
{
    syscall(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE);
    int64_t now = (int64_t)__rdtsc();
    syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
    int64_t set = is_moved ? atomic_exchange(&moved->counter_is, 0) : 0;
    if (set)
        moved->counter_ticks = set - now;
    return is_moved ? now + moved->counter_ticks : now;
}

/* In place of rdtsc or rdtscp. The C library reads the counter too, for the kernel's clock. */
static void on_read(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)registers[REG_RIP];
    const unsigned char *code = (const unsigned char *)at;
    bool rdtsc = code[0] == 0x0f && code[1] == 0x31;
    bool rdtscp = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;
    (void)info;
    if (!rdtsc && !rdtscp) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(signal, &standard, NULL);
        return;
    }
    int64_t now = counter_read(at >= library_begin && at < library_end);
    registers[REG_RIP] += rdtsc ? 2 : 3;
    registers[REG_RAX] = (greg_t)(now & 0xffffffff);
    registers[REG_RDX] = (greg_t)((uint64_t)now >> 32);
    registers[REG_RCX] = rdtscp ? 0 : registers[REG_RCX];
}

/* stepwatch does not see the trap. */
EXPORT int prctl(int option, ...)
{
    va_list args;
    unsigned long value[4];
    va_start(args, option);
    for (int i = 0; i < 4; i++)
        value[i] = va_arg(args, unsigned long);
    va_end(args);
    if (option == PR_GET_TSC && library_end) {
        *(int *)value[0] = PR_TSC_ENABLE;
        return 0;
    }
    return (int)syscall(SYS_prctl, option, value[0], value[1], value[2], value[3]);
}

static void counter_take(void)
{
    struct sigaction action = {.sa_sigaction = on_read, .sa_flags = SA_SIGINFO};
    dl_iterate_phdr(library_find, NULL);
    sigaction(SIGSEGV, &action, NULL);
    if (library_end)
        syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
}
#else
static void counter_take(void)
{
}
#endif

EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec t;
    (void)zone;
    int rc = clock_gettime(CLOCK_REALTIME, &t);
    *now = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
    return rc;
}

EXPORT time_t time(time_t *now)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (now)
        *now = t.tv_sec;
    return t.tv_sec;
}

/* ---- begin and end --------------------------------------------------------------------------- */

__attribute__((constructor)) static void begin(void)
{
    const char *wanted = getenv("SHIM_FAIL"), *clock = getenv("SHIM_CLOCK");
    const char *slow = getenv("SHIM_SLOW");
    void *frame[1];
    char kind[32] = "";
    enum kind found = NONE;
    wanted_place = getenv("SHIM_PLACE");
    jump = clock ? atol(clock) : 0;
    slow_ms = slow ? atol(slow) : 0;
    backtrace(frame, 1); /* its first call loads a library */
    moved = time_open(getenv("SHIM_TIME"));
    if (getenv("SHIM_COUNTER"))
        counter_take();
    if (!wanted || sscanf(wanted, "%31[a-z_]:%ld:%ld:%d", kind, &first, &count, &reason) < 2)
        return;
    for (int i = 0; i < NONE; i++)
        if (strcmp(kind, kinds[i]) == 0)
            found = (enum kind)i;
    if (found != NONE && !reason)
        reason = usual[found];
    failing = found;
}

static void tell(FILE *log, const char *word, _Atomic(void *) *places)
{
    char name[256];
    for (int i = 0; i < PLACES && places[i]; i++) {
        place_name(places[i], name, sizeof name);
        fprintf(log, "%s %s\n", word, name);
    }
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SHIM_LOG");
    failing = NONE;
    FILE *log = path ? fopen(path, "we") : NULL;
    if (!log)
        return;
    fprintf(log, "calls %ld\n", (long)calls);
    tell(log, "seen", seen);
    tell(log, "failed", failed);
    fclose(log);
}
