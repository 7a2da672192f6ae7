/* SPDX-License-Identifier: MIT */
#include "probes/functions/own_signal.h"
#include "probes/functions/libc_calls.h"

#include <stdatomic.h>
#include <string.h>

static atomic_int taken;

int fn_signal(void)
{
    return atomic_load(&taken);
}

static bool is_free(int number)
{
    struct sigaction is;
    return fn_libc()->sigaction(number, NULL, &is) == 0 && !(is.sa_flags & SA_SIGINFO) &&
           is.sa_handler == SIG_DFL;
}

static int find_free(void)
{
    if (is_free(SIGPROF))
        return SIGPROF;
    for (int number = SIGRTMAX - 2; number >= SIGRTMIN; number--)
        if (is_free(number))
            return number;
    return 0;
}

/* Other handlers are blocked, because one that jumps away would leave the tree half changed. */
bool fn_signal_take(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    int number = find_free();
    sigfillset(&action.sa_mask);
    if (!number || fn_libc()->sigaction(number, &action, NULL) != 0)
        return false;
    atomic_store(&taken, number);
    return true;
}

void fn_signal_let(void)
{
    sigset_t set;
    if (!fn_signal())
        return;
    sigemptyset(&set);
    sigaddset(&set, fn_signal());
    fn_libc()->pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* The kernel discards pending signals that are ignored. */
void fn_signal_give_back(void)
{
    struct sigaction action;
    int number = atomic_exchange(&taken, 0);
    memset(&action, 0, sizeof action);
    if (!number)
        return;
    action.sa_handler = SIG_IGN;
    fn_libc()->sigaction(number, &action, NULL);
    action.sa_handler = SIG_DFL;
    fn_libc()->sigaction(number, &action, NULL);
}

/* It is blocked until the handler returns. */
void fn_signal_foreign(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    fn_libc()->sigaction(number, &action, NULL);
    raise(number);
}
