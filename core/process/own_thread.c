/* SPDX-License-Identifier: MIT */
#include "core/process/own_thread.h"
#include "core/process/roomy_thread.h"
#include "core/process/own_floats.h"
#include "core/process/thread_checker.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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
    return swi_unchecked(start.main, start.arg);
}

int swi_own_thread_start(pthread_t *thread, void *(*main)(void *arg), void *arg)
{
    struct thread_start *start = malloc(sizeof *start);
    sigset_t old;
    if (!start)
        return ENOMEM;
    *start = (struct thread_start){main, arg};
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
