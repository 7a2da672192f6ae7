/* SPDX-License-Identifier: MIT */
#include "core/process/capture_signal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

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
