/* SPDX-License-Identifier: MIT */
#include "core/process/own_thread.h"

#include <stddef.h>

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

int swi_own_thread_start(pthread_t *thread, void *(*main)(void *arg), void *arg)
{
    sigset_t old;
    signals_block(&old);
    int rc = pthread_create(thread, NULL, main, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}
