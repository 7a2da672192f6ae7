/* SPDX-License-Identifier: MIT */
/* What happens to open profilers when the program ends without sw_close(), or forks. */
#include "core/state.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sw_profiler *open_profilers;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- exit() -------------------------------------------------------------------------------------
 */

/* Takes one out of the list at a time, so that whoever comes second finds nothing to do. */
static struct sw_profiler *take(void)
{
    pthread_mutex_lock(&lock);
    struct sw_profiler *sw = open_profilers;
    if (sw)
        open_profilers = sw->next;
    pthread_mutex_unlock(&lock);
    return sw;
}

static void interrupt_all(int status, int signal)
{
    for (struct sw_profiler *sw = take(); sw; sw = take())
        swi_profiler_interrupt(sw, status, signal);
}

static void at_exit(int status, void *arg)
{
    (void)arg;
    interrupt_all(status, 0);
}

/* ---- fork() -------------------------------------------------------------------------------------
 */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The child has no workers and owns no file: its profilers are off. Only the list's lock is known
 * to be free. */
static void after_fork_child(void)
{
    for (struct sw_profiler *sw = open_profilers; sw; sw = sw->next) {
        sw->forked = true;
        atomic_store(&sw->dead, true);
        atomic_store(&sw->serial, swi_serial_next());
        swi_pipeline_forget(sw->pipeline);
    }
    open_profilers = NULL;
    pthread_mutex_unlock(&lock);
}

/* ---- signals ------------------------------------------------------------------------------------
 */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static sem_t came;
static volatile sig_atomic_t which;
static _Atomic int64_t came_ns;
#define ECHO_NS INT64_C(250000000)
static pthread_t watcher;
static pid_t watcher_of; /* the process that has the watcher: a forked child has the handlers, but
                            not the thread */

static void raise_default(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    raise(signal);
}

/* timeout(1), systemd and batch systems send a signal to a process and to its group: one that comes
 * twice at once is one. */
static bool is_echo(int signal)
{
    return which == signal && swi_monotonic_ns() - atomic_load(&came_ns) < ECHO_NS;
}

/* A second signal does not wait for the report of the first. */
static void on_signal(int signal)
{
    int saved = errno;
    if (getpid() != watcher_of || (which && !is_echo(signal))) {
        raise_default(signal);
    } else if (!which) {
        atomic_store(&came_ns, swi_monotonic_ns());
        which = signal;
        sem_post(&came);
    }
    errno = saved;
}

/* Ends the process by the signal itself, so that its exit status is as without stepwatch. */
static void end_by(int signal)
{
    sigset_t set;
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), signal);
}

/* Woken without a signal it is no longer needed. */
static void *wait_for_signal(void *arg)
{
    (void)arg;
    while (sem_wait(&came) != 0)
        continue;
    int signal = which;
    if (!signal)
        return NULL;
    interrupt_all(128 + signal, signal);
    end_by(signal);
    return NULL;
}

static bool watcher_start(void)
{
    sigset_t all, old;
    if (watcher_of == getpid())
        return true;
    sem_init(&came, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(&watcher, NULL, wait_for_signal, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc == 0)
        watcher_of = getpid();
    return rc == 0;
}

/* A signal that came just before has the watcher end the process: then it is not waited for. */
static void watcher_stop(void)
{
    if (watcher_of != getpid() || which)
        return;
    watcher_of = 0;
    sem_post(&came);
    pthread_join(watcher, NULL);
}

/* Only where the program left the default action: its own handlers are never replaced. */
static void handlers_set(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

static void handlers_restore(void)
{
    struct sigaction old;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == on_signal) {
            old.sa_handler = SIG_DFL;
            sigaction(signals[i], &old, NULL);
        }
}

/* ---- the list -----------------------------------------------------------------------------------
 */

static void register_once(void)
{
    on_exit(at_exit, NULL);
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void swi_exit_add(struct sw_profiler *sw, bool with_signals)
{
    pthread_once(&once, register_once);
    pthread_mutex_lock(&lock);
    sw->next = open_profilers;
    open_profilers = sw;
    if (with_signals && watcher_start())
        handlers_set();
    pthread_mutex_unlock(&lock);
}

void swi_exit_remove(struct sw_profiler *sw)
{
    pthread_mutex_lock(&lock);
    struct sw_profiler **at = &open_profilers;
    while (*at && *at != sw)
        at = &(*at)->next;
    if (*at)
        *at = sw->next;
    bool last = !open_profilers && !which;
    if (last)
        handlers_restore();
    pthread_mutex_unlock(&lock);
    if (last)
        watcher_stop();
}
