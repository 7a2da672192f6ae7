/* SPDX-License-Identifier: MIT */
#include "core/process/own_thread.h"
#include "core/process/own_floats.h"
#include "core/process/plugin_threads.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void signals_spare(sigset_t *set, const int *signals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sigdelset(set, signals[i]);
}

sigset_t swi_handled_signals_hold(void)
{
    sigset_t set, before;
    struct sigaction action;
    sigemptyset(&set);
    for (int signal = 1; signal <= SIGRTMAX; signal++)
        if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
            action.sa_handler != SIG_IGN)
            sigaddset(&set, signal);
    signals_spare(&set, faults, sizeof faults / sizeof *faults);
    signals_spare(&set, ends, sizeof ends / sizeof *ends);
    sigemptyset(&before);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    return before;
}

/* Blocks all signals but those of its own faults, for a thread of stepwatch, which begins with the
 * mask of its creator. The program's handlers run on the program's threads only, and a closed pipe
 * is an error and does not end the program. A fault in a sink's code still reaches the handler for
 * faults. */
static void signals_block(sigset_t *old)
{
    sigset_t set;
    sigfillset(&set);
    signals_spare(&set, faults, sizeof faults / sizeof *faults);
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

static void owner_check(void)
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
    owner_check();
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

/* ---- the last thread of the program ---------------------------------------------------------- */

/* /proc no longer names the program of a process whose main thread has ended. */
static bool main_may_have_ended(void)
{
    char path[8];
    return readlink("/proc/self/exe", path, sizeof path) < 0 && (errno == ENOENT || errno == ESRCH);
}

struct task {
    char name[32];
    char state;
    unsigned long long blocked;
};

static bool task_read(const char *number, struct task *task)
{
    char path[64], line[128];
    *task = (struct task){0};
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", number);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "Name: %31[^\n]", task->name);
        sscanf(line, "State: %c", &task->state);
        sscanf(line, "SigBlk: %llx", &task->blocked);
    }
    fclose(file);
    return true;
}

/* Threads of stepwatch and of sinks have this name prefix and block the signals that a program
 * waits for. */
static bool is_ours(const struct task *task)
{
    const unsigned long long asked =
        1ULL << (SIGINT - 1) | 1ULL << (SIGTERM - 1) | 1ULL << (SIGHUP - 1) | 1ULL << (SIGUSR1 - 1);
    return strncmp(task->name, "sw-", 3) == 0 && (task->blocked & asked) == asked;
}

static bool has_ended(const struct task *task)
{
    return task->state == 'Z' || task->state == 'X';
}

/* If something cannot be read, a thread is assumed to be left. */
static bool none_is_left(void)
{
    const struct dirent *entry;
    bool main_ended = false, left = false;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks && !left && (entry = readdir(tasks))) {
        struct task task;
        if (*entry->d_name == '.' || !task_read(entry->d_name, &task))
            continue;
        main_ended = main_ended || (atoi(entry->d_name) == getpid() && has_ended(&task));
        left = !has_ended(&task) && !is_ours(&task);
    }
    if (tasks)
        closedir(tasks);
    return main_ended && !left;
}

static bool thread_start(void *(*run)(void *))
{
    pthread_t thread;
    int rc = swi_own_thread_start(&thread, run, NULL);
    if (rc == 0)
        pthread_detach(thread);
    return rc == 0;
}

/* Starts each thread at most once. */
static void thread_start_once(atomic_bool *started, void *(*run)(void *))
{
    if (!atomic_exchange(started, true) && !thread_start(run))
        atomic_store(started, false);
}

static atomic_bool ending, watched;

static void *end(void *arg)
{
    (void)arg;
    pthread_setname_np(pthread_self(), "sw-end");
    exit(0);
}

void swi_last_thread_check(void)
{
    if (main_may_have_ended() && none_is_left())
        thread_start_once(&ending, end);
}

static _Noreturn void *watch(void *arg)
{
    (void)arg;
    pthread_setname_np(pthread_self(), "sw-alone");
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
        swi_last_thread_check();
    }
}

void swi_last_thread_watch(void)
{
    thread_start_once(&watched, watch);
}

void swi_last_thread_child(void)
{
    atomic_store(&ending, false);
    atomic_store(&watched, false);
}
