/* SPDX-License-Identifier: MIT */
/* Timers of CPU time never interrupt a waiting thread, so no system call of the program ends early.
 * A program that takes the place of this one (exec) gets none of their signals: Linux discards
 * them. They expire only at ticks of the kernel, so a sample also counts for those that were
 * missed. */
#include "probes/functions/cpu_samples.h"

#include "probes/functions/own_signal.h"
#include "probes/functions/nodes.h"
#include "probes/functions/stack_walk.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"
#include "probes/functions/thread_state.h"
#include "probes/functions/threads.h"
#include "probes/functions/waiting.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- a stack for the handler of samples ------------------------------------------------------ */

/* The stack of a thread or of a coroutine may be as small as its own code allows: the kernel's
 * frame alone takes 3 KiB with AVX-512 and 11 KiB with AMX. */

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* Besides the kernel's frame. Handlers of the program with SA_ONSTACK run here, too. */
enum { ROOM = 64 << 10 };

static size_t size_of_page(void)
{
    return (size_t)getpagesize();
}

static size_t size_of_stack(void)
{
    size_t least = ROOM + getauxval(AT_MINSIGSTKSZ), page = size_of_page();
    return (least + page - 1) / page * page;
}

/* The lowest page is a guard: an overflow is a fault, and overwrites nothing. */
static void *stack_new(void)
{
    size_t guard = size_of_page(), size = size_of_stack();
    char *map = mmap(NULL, guard + size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    if (mprotect(map + guard, size, PROT_READ | PROT_WRITE) == 0)
        return map + guard;
    munmap(map, guard + size);
    return NULL;
}

/* Gives the calling thread an alternate signal stack, unless it has one. The memory stays with the
 * tree, for the next thread that has it. */
static void fn_signal_stack_set(struct fn_own *own)
{
    stack_t is;
    if (sigaltstack(NULL, &is) != 0 || !(is.ss_flags & SS_DISABLE))
        return;
    if (!own->signal_stack)
        own->signal_stack = stack_new();
    if (own->signal_stack)
        sigaltstack(&(stack_t){.ss_sp = own->signal_stack, .ss_size = size_of_stack()}, NULL);
}

/* Takes it back, at the end of the thread. */
static void fn_signal_stack_unset(const struct fn_own *own)
{
    stack_t is;
    if (own->signal_stack && sigaltstack(NULL, &is) == 0 && is.ss_sp == own->signal_stack)
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
}

/* ---- `times ---------------------------------------------------------------------------------- */

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static _Thread_local struct fn_own *sampled __attribute__((tls_model("initial-exec")));
static atomic_bool on;
static int64_t period_ns;
static int (*_Atomic innermost)(void);
static pthread_key_t end_key;

bool fn_sampling_is_on(void)
{
    return atomic_load(&on);
}

static struct fn_own *own_here(void)
{
    struct fn_own *own = sampled;
    return own && !fn_own_is_copy(own) ? own : NULL;
}

bool fn_sampling_here(void)
{
    return own_here() != NULL;
}

void fn_sampling_regions(int (*look)(void))
{
    atomic_store(&innermost, look);
}

/* ---- a sample ---- */

static int region_here(void)
{
    int (*look)(void) = atomic_load(&innermost);
    int action = look ? look() : FN_NO_REGION;
    return action >= 0 && action < FN_ACTIONS ? action : FN_NO_REGION;
}

static bool is_wall(void)
{
    return fn_file->wall && !atomic_load(&fn_file->unseen);
}

/* If a thread has the tree that looks at this one, the next sample counts for this one, too. */
static void sample_take(struct fn_own *own, const void *context, int64_t expirations)
{
    struct fn_stack stack;
    if (!fn_sampled_take(own))
        return;
    int64_t samples = is_wall() ? fn_waiting_owed(own) : expirations;
    if (samples) {
        fn_stack_take(&stack, context, own->low, own->bottom);
        fn_sampled_count(fn_sampled_node(own, &stack, region_here()), samples);
        fn_start_look();
    }
    fn_sampled_release(own);
}

/* Runs on the sampled thread. A signal that does not come from its timer belongs to the program. */
static void handler(int number, siginfo_t *info, void *context)
{
    int before = errno;
    struct fn_own *own = own_here();
    bool ours = info->si_code == SI_TIMER && fn_own_of_timer(info->si_value.sival_ptr);
    if (!ours)
        fn_signal_foreign(number);
    else if (own && own == info->si_value.sival_ptr && own->has_timer && fn_file)
        sample_take(own, context, 1 + (int64_t)info->si_overrun);
    errno = before;
}

/* ---- timers ---- */

/* Each thread begins at a random place in its first period, so that threads shorter than a period
 * are sampled as often as they should be. */
static struct itimerspec times_of(const struct fn_own *own)
{
    int64_t first = 1 + (int64_t)(own->part->tid * UINT64_C(2654435761) % (uint64_t)period_ns);
    return (struct itimerspec){{period_ns / 1000000000, period_ns % 1000000000},
                               {first / 1000000000, first % 1000000000}};
}

static void timer_begin(struct fn_own *own)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = fn_signal(), .sigev_value.sival_ptr = own};
    event.sigev_notify_thread_id = (pid_t)own->part->tid;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &own->timer) != 0) {
        atomic_fetch_add(&fn_file->unsampled, 1);
        return;
    }
    struct itimerspec times = times_of(own);
    atomic_store(&own->has_timer, true);
    timer_settime(own->timer, 0, &times, NULL);
}

static void timer_end(struct fn_own *own, void *unused)
{
    (void)unused;
    if (atomic_exchange(&own->has_timer, false))
        timer_delete(own->timer);
}

/* ---- threads ---- */

static void thread_end(void *thread)
{
    struct fn_own *own = thread;
    if (fn_own_is_copy(own))
        return;
    timer_end(own, NULL);
    fn_signal_stack_unset(own);
    fn_waiting_leave(own);
    sampled = NULL;
    fn_own_leave(own);
}

/* The stack of the first thread grows down to a limit, or to the next mapping below it. */
static uintptr_t low_of(uintptr_t bottom)
{
    enum { MOST = 64 << 20 };
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    if (gettid() == getpid())
        return bottom > MOST ? bottom - MOST : bottom;
    if (!bottom || pthread_getattr_np(pthread_self(), &attr) != 0)
        return bottom;
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    return (uintptr_t)low;
}

void fn_sampling_thread(uintptr_t bottom)
{
    struct fn_own *own = own_here();
    if (!fn_sampling_is_on() || !(own || (own = fn_own_join_sampled())))
        return;
    own->low = low_of(bottom);
    own->bottom = bottom;
    sampled = own;
    pthread_setspecific(end_key, own);
    if (!atomic_load(&own->has_timer)) {
        fn_signal_stack_set(own);
        fn_signal_let();
        timer_begin(own);
        fn_waiting_join(own);
    }
}

void fn_sampling_innermost(int action)
{
    struct fn_own *own = own_here();
    if (own)
        atomic_store_explicit(&own->innermost, action, memory_order_relaxed);
}

/* ---- the process ---- */

static uint32_t rate_of(uint32_t asked)
{
    const char *text = getenv("STEPWATCH_FUNCTIONS_RATE");
    long given = text ? strtol(text, NULL, 10) : 0;
    if (given > 0 && given <= FN_RATE_MOST)
        return (uint32_t)given;
    return asked && asked <= FN_RATE_MOST ? asked : FN_RATE;
}

/* The kernel checks timers of CPU time this often. */
static uint32_t kernel_rate(void)
{
    struct timespec tick;
    bool known = clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0;
    return known && tick.tv_nsec > 0 ? (uint32_t)(1000000000 / tick.tv_nsec) : 0;
}

/* The end of the first thread's stack, which is known only roughly before main(). */
static uintptr_t main_bottom;
#pragma weak __libc_stack_end
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
extern void *__libc_stack_end;

void fn_sampling_start(uint32_t rate)
{
    if (fn_times() != FN_SAMPLE || fn_sampling_is_on() || !fn_start() ||
        pthread_key_create(&end_key, thread_end) != 0)
        return;
    fn_file->rate = rate_of(rate);
    fn_file->kernel_rate = kernel_rate();
    period_ns = 1000000000 / fn_file->rate;
    fn_stack_prepare();
    if (!fn_signal_take(handler))
        return;
    atomic_store(&on, true);
    fn_file->wall = fn_is_wall() && fn_waiting_start(period_ns);
    bool first = gettid() == getpid();
    if (first && !main_bottom && &__libc_stack_end)
        main_bottom = (uintptr_t)__libc_stack_end;
    fn_sampling_thread(first ? main_bottom : 0);
}

void fn_sampling_main(uintptr_t bottom)
{
    main_bottom = bottom;
    fn_sampling_thread(bottom);
}

void fn_sampling_stop(void)
{
    if (!atomic_exchange(&on, false))
        return;
    fn_waiting_stop();
    fn_owns_each(timer_end, NULL);
    fn_signal_give_back();
}

void fn_sampling_child(void)
{
    sampled = NULL;
    if (atomic_exchange(&on, false))
        fn_signal_give_back();
}
