/* SPDX-License-Identifier: MIT */
/* The thread that waits for signals, and their handlers.
 *
 * One number (`came`) decides who ends the program. A handler may only change it from NONE to its
 * signal, and the close of the last profiler only from NONE to NOBODY. So no signal is lost between
 * the two. */
#include "core/process/signals.h"
#include "core/clock/clock.h"
#include "core/process/child.h"
#include "core/process/handlers.h"
#include "core/process/own_thread.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    NOBODY = -1,     /* no profiler is open: stepwatch does not handle signals */
    NONE = 0,        /* no signal has arrived */
    CRASHED = 0x100, /* added to the signal of a crash */
    SIGNAL = 0xff
};

#define MS INT64_C(1000000)
#define ECHO_NS (250 * MS)
#define LOOK_NS (1000 * MS)
/* How long a crash waits in total. */
#define CRASH_NS (900 * MS)
/* How long a thread that was interrupted at work waits. It may hold a lock that the end needs. */
#define AT_WORK_NS (200 * MS)

/* The signals that ask a program to end. */
static struct swi_taken_signal taken[] = {
    {.signal = SIGINT}, {.signal = SIGTERM}, {.signal = SIGHUP}};
enum { SIGNALS = sizeof taken / sizeof *taken };

static atomic_int came = NOBODY;
static _Atomic int64_t came_ns;
static atomic_int settled; /* 1: what was measured before the crash is written */
static const struct swi_signal_calls *calls;
static _Atomic(void *) crashed_in;
static _Atomic pthread_t crashed; /* the thread that crashed first; 0: none */
static pthread_t watcher;
static __attribute__((tls_model("initial-exec"))) _Thread_local bool watching;

/* ---- waiting --------------------------------------------------------------------------------- */

/* Waits for a relative time, which does not depend on clocks that the program may replace. May be
 * called in handlers. */
static void wait_for_change(atomic_int *number, int value, int64_t ns)
{
    const struct timespec limit = {.tv_sec = ns / (1000 * MS), .tv_nsec = ns % (1000 * MS)};
    syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

static void wake(atomic_int *number)
{
    syscall(SYS_futex, number, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static _Noreturn void wait_for_the_end(void)
{
    for (;;)
        pause();
}

int swi_signals_came(void)
{
    int signal = atomic_load(&came);
    return signal > NONE ? signal & SIGNAL : 0;
}

void swi_signals_park(void)
{
    if (swi_signals_came() && !watching)
        wait_for_the_end();
}

/* ---- handlers -------------------------------------------------------------------------------- */

static void on_signal(int signal, siginfo_t *info, void *context);

static struct sigaction ours(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    swi_handler_mark(&action);
    return action;
}

/* Async-signal-safe. */
static void handlers_restore(void)
{
    const struct sigaction action = ours();
    swi_taken_signals_restore(taken, SIGNALS, &action);
}

/* Passes the signal to the action before ours. */
static void raise_before(int signal)
{
    const struct sigaction action = ours();
    for (int i = 0; i < SIGNALS; i++)
        if (taken[i].signal == signal)
            swi_taken_signals_restore(&taken[i], 1, &action);
    raise(signal);
}

static void raise_default(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    raise(signal);
}

/* timeout(1), systemd and batch systems send a signal to a process and to its group. Two at once
 * count as one. */
static bool is_echo(int signal, int first)
{
    return signal == first && swi_monotonic_ns() - atomic_load(&came_ns) < ECHO_NS;
}

/* In each thread: how many runs it is ending. Then the end waits for this thread. */
static __attribute__((tls_model("initial-exec"))) _Thread_local volatile int ends;

void swi_signals_ending(int change)
{
    ends += change;
}

/* Returns whether the signal interrupted a system call that does not go on, such as pause(). Such a
 * thread holds no lock. The kernel passes the context even if the handler is not of SA_SIGINFO. */
static bool was_waiting(const void *context)
{
#if defined(__x86_64__)
    enum { PAGE = 4096 };
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *next = (const unsigned char *)registers[REG_RIP];
    return registers[REG_RAX] == -EINTR && (uintptr_t)next % PAGE >= 2 && next[-2] == 0x0f &&
           next[-1] == 0x05; /* syscall */
#else
    (void)context;
    return false;
#endif
}

/* Keeps the thread from ending the program by _exit() before the report is written. A second signal
 * still ends it. */
static void hold(bool waiting)
{
    sigset_t again;
    if (ends)
        return;
    sigemptyset(&again);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&again, taken[i].signal);
    pthread_sigmask(SIG_UNBLOCK, &again, NULL);
    if (waiting)
        wait_for_the_end();
    for (int64_t left = AT_WORK_NS; left > 0; left -= 50 * MS)
        wait_for_change(&settled, 0, 50 * MS);
}

/* Returns whether the signal is about to end the program. */
static bool handle(int signal)
{
    int first = NONE;
    if (swi_is_child()) {
        raise_default(signal);
        return false;
    }
    if (atomic_load(&came) == NONE)
        atomic_store(&came_ns, swi_monotonic_ns());
    if (atomic_compare_exchange_strong(&came, &first, signal)) {
        wake(&came);
        return true;
    }
    if (first == NOBODY)
        raise_before(signal);
    else if (is_echo(signal, first))
        return true;
    else /* a second signal does not wait for the report */
        raise_default(signal);
    return false;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)info;
    if (handle(signal))
        hold(was_waiting(context));
    errno = saved;
}

/* ---- crashes --------------------------------------------------------------------------------- */

/* Uses only numbers, because the thread may hold any lock and its memory may be corrupt. If the
 * thread that writes crashes too, the writing and the wait end: nobody takes over from it. */
void swi_signals_crash(int signal)
{
    int first = NONE;
    if (swi_is_child())
        return;
    if (watching && atomic_load(&came) > CRASHED)
        wait_for_the_end();
    if (atomic_load(&came) == NONE) {
        pthread_t none = 0;
        atomic_store(&crashed_in, calls->here());
        atomic_compare_exchange_strong(&crashed, &none, pthread_self());
    }
    bool mine = atomic_compare_exchange_strong(&came, &first, signal | CRASHED);
    if (first == NOBODY || watching)
        return;
    if (mine)
        wake(&came);
    for (int64_t left = CRASH_NS; left > 0 && !atomic_load(&settled); left -= 50 * MS)
        wait_for_change(&settled, 0, 50 * MS);
    /* If there are two crashes, the first one ends the program. */
    if (!mine)
        wait_for_change(&settled, 1, 1000 * MS);
}

bool swi_signals_has_crashed(pthread_t thread)
{
    pthread_t first = atomic_load(&crashed);
    return first && pthread_equal(first, thread);
}

bool swi_signals_inherits(pthread_t thread)
{
    return watching && swi_signals_has_crashed(thread);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static bool is_handed_on(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
}

/* Ends the process with the signal itself, so that its exit status is as without stepwatch. */
static _Noreturn void end_by(int signal)
{
    sigset_t set;
    handlers_restore();
    bool handed_on = is_handed_on(signal);
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), signal);
    if (handed_on)
        wait_for_the_end();
    /* The first process of a container survives the default action. */
    sleep(1);
    _exit(128 + signal);
}

/* Leaves it to the thread that crashed to end the program, and to a handler that prints where it
 * crashed, which may read large files for that. */
static void crash_leave(int signal)
{
    enum { OWN_S = 2, HANDLER_S = 60 };
    sleep(OWN_S);
    for (int i = 0; i < HANDLER_S && is_handed_on(signal); i++)
        sleep(1);
}

static void *watch(void *arg)
{
    int is;
    (void)arg;
    watching = true;
    pthread_setname_np(pthread_self(), "sw-signals");
    while ((is = atomic_load(&came)) == NONE) {
        wait_for_change(&came, NONE, LOOK_NS);
        swi_last_thread_check();
    }
    if (is == NOBODY)
        return NULL;
    calls->end(is & SIGNAL, is & CRASHED, atomic_load(&crashed_in));
    if (is & CRASHED) {
        atomic_store(&settled, 1);
        wake(&settled);
        crash_leave(is & SIGNAL);
    }
    end_by(is & SIGNAL);
}

/* `came` is set before the thread starts, so that a signal in between is kept for it. */
static bool watcher_start(void)
{
    int nobody = NOBODY;
    if (!atomic_compare_exchange_strong(&came, &nobody, NONE))
        return true;
    int rc = swi_own_thread_start(&watcher, watch, NULL);
    if (rc != 0)
        atomic_store(&came, NOBODY);
    return rc == 0;
}

void swi_signals_start(const struct swi_signal_calls *with)
{
    const struct sigaction action = ours();
    calls = with;
    if (watcher_start())
        swi_taken_signals_set(taken, SIGNALS, &action);
}

void swi_signals_stop(void)
{
    int none = NONE;
    if (!atomic_compare_exchange_strong(&came, &none, NOBODY))
        return;
    handlers_restore();
    wake(&came);
    pthread_join(watcher, NULL);
}

void swi_signals_child(void)
{
    atomic_store(&came, NOBODY);
    atomic_store(&settled, 0);
    atomic_store(&crashed_in, NULL);
    atomic_store(&crashed, 0);
    watching = false;
    ends = 0;
}

uint64_t swi_signals_blocked(void)
{
    uint64_t blocked = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof blocked);
    return blocked;
}
