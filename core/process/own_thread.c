/* SPDX-License-Identifier: MIT */
#include "core/process/own_thread.h"
#include "core/process/roomy_thread.h"
#include "core/process/own_floats.h"
#include "core/process/thread_checker.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Blocks all signals but those of its own faults, for a thread of stepwatch, which begins with the
 * mask of its creator. The program's handlers run on the program's threads only, and a closed pipe
 * is an error and does not end the program. A fault in a sink's code still reaches the handler for
 * faults. */
static void signals_block(sigset_t *old)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&set, faults[i]);
    pthread_sigmask(SIG_SETMASK, &set, old);
}

/* ---- what they cost -------------------------------------------------------------------------- */

/* Clocks of those that run, 0: none. The rest of them count when they end. Without a lock, which
 * fork() could copy while it is held; the child has none of the threads. */
enum { THREADS_MOST = 64 };
static atomic_int clock_of[THREADS_MOST], owner;
static atomic_llong ended_ns;

static int64_t clock_ns(clockid_t clock)
{
    struct timespec used;
    return clock_gettime(clock, &used) == 0 ? (int64_t)used.tv_sec * 1000000000 + used.tv_nsec : 0;
}

static void owner_look(void)
{
    int pid = (int)getpid();
    if (atomic_exchange(&owner, pid) == pid)
        return;
    for (int i = 0; i < THREADS_MOST; i++)
        atomic_store(&clock_of[i], 0);
    atomic_store(&ended_ns, 0);
}

static atomic_int *clock_place(void)
{
    clockid_t own;
    if (pthread_getcpuclockid(pthread_self(), &own) != 0)
        return NULL;
    for (int i = 0; i < THREADS_MOST; i++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&clock_of[i], &none, own))
            return &clock_of[i];
    }
    return NULL;
}

/* Whoever adds up meanwhile counts a thread that ends not at all rather than twice. */
int64_t swi_own_threads_ns(void)
{
    if (atomic_load(&owner) != (int)getpid())
        return 0;
    int64_t sum = atomic_load(&ended_ns);
    for (int i = 0; i < THREADS_MOST; i++) {
        int clock = atomic_load(&clock_of[i]);
        sum += clock ? clock_ns(clock) : 0;
    }
    return sum;
}

/* ---- starting -------------------------------------------------------------------------------- */

struct thread_start {
    void *(*main)(void *arg);
    void *arg;
};

/* A thread begins with the floating-point modes of its creator, which may make computing trap. */
static void *thread_main(void *arg)
{
    struct thread_start start = *(struct thread_start *)arg;
    struct swi_floats inherited;
    free(arg);
    swi_cancel_hold();
    swi_floats_keep(&inherited);
    atomic_int *clock = clock_place();
    void *result = swi_unchecked(start.main, start.arg);
    if (clock)
        atomic_store(clock, 0);
    atomic_fetch_add(&ended_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID));
    return result;
}

int swi_own_thread_start(pthread_t *thread, void *(*main)(void *arg), void *arg)
{
    struct thread_start *start = malloc(sizeof *start);
    sigset_t old;
    if (!start)
        return ENOMEM;
    *start = (struct thread_start){main, arg};
    owner_look();
    signals_block(&old);
    int rc = swi_roomy_thread(thread, thread_main, start);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc != 0)
        free(start);
    return rc;
}

const char *swi_own_thread_error(int rc)
{
    return rc != EAGAIN ? strerror(rc)
                        : "a limit is reached: raise that of processes and threads (ulimit -u, "
                          "pids.max of the control "
                          "group) or that of memory (ulimit -v)";
}
