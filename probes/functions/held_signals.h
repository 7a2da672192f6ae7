/* SPDX-License-Identifier: MIT */
/* held_signals.h - keeps the handlers of the program waiting while a tree is changed, so that their
 * calls are counted, and none of them jumps away from a change that is half made. */
#ifndef PROBES_FUNCTIONS_HELD_SIGNALS_H
#define PROBES_FUNCTIONS_HELD_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's set of signals: bit n - 1 is signal n. */
static inline uint64_t fn_signals_set(uint64_t set)
{
    uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, &before, sizeof set);
    return before;
}

/* Holds all but those of faults. Returns what is to be set again. The system call is made directly:
 * the program's own functions for it may be interposed. */
static inline uint64_t fn_signals_hold(void)
{
    const int faults[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
    uint64_t held = ~UINT64_C(0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        held &= ~(UINT64_C(1) << (faults[i] - 1));
    return fn_signals_set(held);
}

#endif
