/* SPDX-License-Identifier: MIT */
/* Opens and reads events of the processor: what it counts while the calling thread runs, without
 * the kernel. The events of a thread are one group, so that they count at the same times. Where the
 * kernel allows it, a register is read without a system call: perf_mmap.c. Two
 * programs may share the registers. What a region used is then not known if an event had no
 * register for a part of the region's time. */
#include "core/counters/perf_events.h"
#include "core/counters/counted_memory.h"
#include "core/counters/counter.h"
#include "core/text/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVENTS = SWI_PERF_EVENTS };
static const uint64_t config_of[SWI_NAMED] = {PERF_COUNT_HW_CPU_CYCLES,
                                              PERF_COUNT_HW_INSTRUCTIONS,
                                              PERF_COUNT_HW_CACHE_MISSES,
                                              PERF_COUNT_HW_BRANCH_MISSES,
                                              PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
                                              PERF_COUNT_HW_STALLED_CYCLES_BACKEND};

typedef volatile struct perf_event_mmap_page page_of_kernel;

struct event {
    int opened;                 /* the descriptor plus 1; 0: not opened yet; -1: cannot be opened */
    uint64_t id;                /* of the event, by which its descriptor is recognised */
    int order;                  /* in the group */
    const page_of_kernel *page; /* NULL: it cannot be mapped */
    bool begun;                 /* it was read once */
    uint64_t lost;              /* time without a register, at the last reading */
    bool gap;                   /* was more than at the previous reading */
};

/* What read() of the leader returns. */
struct group_read {
    uint64_t count, enabled, running, value[EVENTS];
};

/* The events of a thread. */
struct group {
    struct event event[EVENTS];
    const struct event *leader; /* NULL: none */
    int members;
    uint64_t reading; /* the number of the reading that `read` belongs to */
    bool fine;
    struct group_read read;
};

/* ---- opening --------------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t closing;
static _Thread_local struct group *group;

/* The request is no constant here: musl's ioctl() takes an int, and compilers warn of larger ones.
 */
static bool event_id(int fd, uint64_t *id)
{
    unsigned long request = PERF_EVENT_IOC_ID;
    return ioctl(fd, request, id) == 0;
}

/* The program may have closed the descriptor, and opened another file. All events have one inode.
 */
static bool is_event(const struct event *event)
{
    uint64_t id = 0;
    return event->opened > 0 && event_id(event->opened - 1, &id) && id == event->id;
}

static void group_close(void *of_thread)
{
    struct group *closed = of_thread;
    group = NULL;
    for (int i = 0; i < EVENTS; i++) {
        struct event *event = &closed->event[i];
        if (event->page)
            munmap((void *)event->page, (size_t)sysconf(_SC_PAGESIZE));
        if (is_event(event))
            close(event->opened - 1);
    }
    free(closed);
}

static void key_make(void)
{
    pthread_key_create(&closing, group_close);
}

static struct group *group_get(void)
{
    SWI_OWN_MEMORY;
    if (group)
        return group;
    pthread_once(&once, key_make);
    group = calloc(1, sizeof *group);
    if (group)
        pthread_setspecific(closing, group);
    return group;
}

static struct swi_event_code code_of(int kind)
{
    if (kind >= SWI_NAMED)
        return swi_named_event_code(kind - SWI_NAMED);
    return (struct swi_event_code){.type = PERF_TYPE_HARDWARE, .config = config_of[kind]};
}

static struct perf_event_attr attributes_of(int kind)
{
    struct swi_event_code code = code_of(kind);
    struct perf_event_attr attr = {
        .type = code.type,
        .size = sizeof attr,
        .config = code.config,
        .config1 = code.config1,
        .config2 = code.config2,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
#if defined(__aarch64__)
    if (attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_RAW)
        attr.config1 |= 3; /* the program may read it, with 64 bits */
#endif
    return attr;
}

static int event_open(const struct group *to, int kind)
{
    struct perf_event_attr attr = attributes_of(kind);
    int leader = to->leader ? to->leader->opened - 1 : -1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Adds an event to the group of the calling thread. Returns false with errno. */
static bool event_add(struct group *to, int kind)
{
    struct event *event = &to->event[kind];
    int fd = event_open(to, kind);
    event->opened = fd < 0 ? -1 : fd + 1;
    if (fd < 0)
        return false;
    event_id(fd, &event->id);
    event->order = to->members++;
    to->leader = to->leader ? to->leader : event;
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    event->page = page == MAP_FAILED ? NULL : page;
    return true;
}

static struct event *event_get(int kind)
{
    struct group *of_thread = group_get();
    if (!of_thread)
        return NULL;
    struct event *event = &of_thread->event[kind];
    if (!event->opened)
        event_add(of_thread, kind);
    return event->opened > 0 ? event : NULL;
}

static long paranoid_read(void)
{
    char text[32] = "";
    SWI_CLOSED int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    return strtol(text, NULL, 10);
}

/* Sets err to why perf_event_open() failed with `error`, and what to do. first: no event of the
 * thread is open yet. Returns SW_EIO. */
static int perf_events_refused(int error, bool first, struct sw_error *err)
{
    if (error == EACCES)
        return sw_error_set(err, SW_EIO,
                            "kernel.perf_event_paranoid is %ld: set it to 2 or less (sysctl "
                            "kernel.perf_event_paranoid=2), or give the program CAP_PERFMON",
                            paranoid_read());
    const char *why = error == EPERM ? "perf_event_open is forbidden here, by seccomp as in many "
                                       "containers, or by kernel.perf_event_paranoid"
                      : !first && (error == ENOENT || error == EINVAL)
                          ? "the processor cannot count it together with the counters before it"
                      : error == EINVAL ? "the processor has no such event"
                      : error == ENOENT
                          ? "this machine has no hardware counters (a virtual machine "
                            "or container often has none)"
                      : error == EMFILE || error == ENFILE ? "no file descriptor is left"
                      : error == EBUSY                     ? "another program holds the counters"
                                                           : "not supported by this kernel";
    return sw_error_set(err, SW_EIO, "%s", why);
}

int swi_perf_event_open(int kind, struct sw_error *err)
{
    struct group *of_thread = group_get();
    if (!of_thread)
        return sw_error_set(err, SW_ENOMEM, "not enough memory");
    if (of_thread->event[kind].opened > 0)
        return 0;
    if (kind >= SWI_NAMED && swi_named_event_find(kind - SWI_NAMED, err) < 0)
        return SW_EIO;
    bool first = !of_thread->leader;
    return event_add(of_thread, kind) ? 0 : perf_events_refused(errno, first, err);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Keeps the compiler, and on ARM the processor, from reading the page too early or too late. */
#if defined(__aarch64__)
#define IN_ORDER __asm__ volatile("dmb ishld" : : : "memory")
#else
#define IN_ORDER __asm__ volatile("" : : : "memory")
#endif

#if defined(__x86_64__) || defined(__i386__)
static bool register_read(uint32_t number, uint64_t *value)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
    *value = (uint64_t)high << 32 | low;
    return true;
}
#elif defined(__aarch64__)
/* The number of a register is a part of the instruction. */
/* clang-format off */
#define EACH_REGISTER(DO)                                                                          \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)        \
    DO(14) DO(15) DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26)     \
    DO(27) DO(28) DO(29) DO(30)
/* clang-format on */
#define READ_REGISTER(n)                                                                           \
    case n:                                                                                        \
        __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(*value));                             \
        return true;
static bool register_read(uint32_t number, uint64_t *value)
{
    switch (number) {
        EACH_REGISTER(READ_REGISTER)
    case 31:
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(*value));
        return true;
    default:
        return false;
    }
}
#else
static bool register_read(uint32_t number, uint64_t *value)
{
    (void)number;
    (void)value;
    return false;
}
#endif

/* The result of reading a page once. */
struct page_look {
    struct swi_perf_mmap page;
    bool has_register;
    uint64_t pmc;
};

static void look_at(const page_of_kernel *from, struct page_look *look)
{
    uint32_t number;
    look->page = (struct swi_perf_mmap){.index = from->index,
                                        .offset = from->offset,
                                        .time_enabled = from->time_enabled,
                                        .time_running = from->time_running,
                                        .cap_user_rdpmc = from->cap_user_rdpmc,
                                        .pmc_width = from->pmc_width};
    look->has_register =
        swi_perf_mmap_register(&look->page, &number) && register_read(number, &look->pmc);
}

/* Nanoseconds in which an event was enabled, and in which it had a register. */
struct event_times {
    uint64_t enabled, running;
};

/* Returns false if the page says to read the descriptor, or changes all the time. */
static bool page_read(const struct event *event, int64_t *value, struct event_times *times)
{
    enum { TRIES = 100 };
    struct page_look look;
    for (int i = 0; event->page && i < TRIES; i++) {
        uint32_t lock = event->page->lock;
        IN_ORDER;
        look_at(event->page, &look);
        IN_ORDER;
        if (event->page->lock != lock)
            continue;
        if (!look.has_register)
            return false;
        *value = swi_perf_mmap_count(&look.page, look.pmc);
        *times = (struct event_times){look.page.time_enabled, look.page.time_running};
        return true;
    }
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* One system call reads all events of the thread. */
static const struct group_read *all_read(struct group *of_thread)
{
    if (of_thread->reading == swi_reading_number && of_thread->fine)
        return &of_thread->read;
    ssize_t size = -1;
    if (of_thread->leader && is_event(of_thread->leader))
        do
            size = read(of_thread->leader->opened - 1, &of_thread->read, sizeof of_thread->read);
        while (size < 0 && errno == EINTR);
    of_thread->reading = swi_reading_number;
    of_thread->fine = size > 0 && of_thread->read.count == (uint64_t)of_thread->members;
    return of_thread->fine ? &of_thread->read : NULL;
}

static bool descriptor_read(const struct event *event, int64_t *value, struct event_times *times)
{
    const struct group_read *all = all_read(group);
    if (!all)
        return false;
    *value = (int64_t)all->value[event->order];
    *times = (struct event_times){all->enabled, all->running};
    return true;
}

static atomic_int ran_percent = 100;

bool swi_perf_event_read(int kind, int64_t *value)
{
    struct event *event = event_get(kind);
    struct event_times times;
    if (!event || (!page_read(event, value, &times) && !descriptor_read(event, value, &times)))
        return false;
    uint64_t lost = times.enabled - times.running;
    event->gap = event->begun && lost != event->lost;
    event->begun = true;
    event->lost = lost;
    if (event->gap && times.enabled)
        atomic_store(&ran_percent, (int)(100 * times.running / times.enabled));
    return true;
}

bool swi_perf_event_gap(int kind)
{
    return group && group->event[kind].gap;
}

bool swi_perf_event_slow(int kind)
{
    const struct event *event = event_get(kind);
    return !event || !event->page || !event->page->cap_user_rdpmc;
}

int swi_perf_events_ran_percent(void)
{
    return atomic_load(&ran_percent);
}
