/* SPDX-License-Identifier: MIT */
/* The program's own use of signals continues as before. If it takes the signal of the timers, it
 * gets the signal, and sampling ends. If it blocks or waits for all signals, it does not see this
 * one. */
#include "probes/functions/libc_calls.h"
#include "probes/functions/own_signal.h"
#include "probes/functions/cpu_samples.h"
#include "probes/functions/store.h"

#include <string.h>

#if defined(PIC) && defined(__GLIBC__)
#define FN_PUBLIC __attribute__((visibility("default")))

/* ---- the signal is wanted ---- */

static bool is_ours(int number)
{
    return number > 0 && number == fn_signal() && fn_sampling_is_on();
}

static void hand_over(int number)
{
    if (!is_ours(number))
        return;
    atomic_store(&fn_file->taken, (uint32_t)number);
    fn_sampling_stop();
}

FN_PUBLIC int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (action)
        hand_over(number);
    int rc = fn_libc()->sigaction(number, action, old);
    /* The action before the library took the signal. */
    if (rc == 0 && old && is_ours(number))
        memset(old, 0, sizeof *old);
    return rc;
}

#define SIGNAL(name, libc)                                                                         \
    FN_PUBLIC fn_signal_handler *name(int number, fn_signal_handler *handler);                     \
    fn_signal_handler *name(int number, fn_signal_handler *handler)                                \
    {                                                                                              \
        hand_over(number);                                                                         \
        return fn_libc()->libc(number, handler);                                                   \
    }

SIGNAL(signal, signal)
SIGNAL(bsd_signal, signal)
SIGNAL(ssignal, signal)
SIGNAL(sysv_signal, sysv_signal)
SIGNAL(__sysv_signal, sysv_signal)
SIGNAL(sigset, sigset)

/* The parameter's type is an enum in one language and an int in others. */
FN_PUBLIC int fn_setitimer(int which, const struct itimerval *value,
                           struct itimerval *old) __asm__("setitimer");
int fn_setitimer(int which, const struct itimerval *value, struct itimerval *old)
{
    if (which == ITIMER_PROF && value && (value->it_value.tv_sec || value->it_value.tv_usec))
        hand_over(SIGPROF);
    return fn_libc()->setitimer(which, value, old);
}

/* ---- sets of signals ---- */

/* A caller that asks for all signals does not mean this one. */
static bool is_all(const sigset_t *set)
{
    return sigismember(set, SIGVTALRM) == 1 && sigismember(set, SIGXCPU) == 1 &&
           sigismember(set, SIGSYS) == 1 && sigismember(set, SIGTTOU) == 1;
}

/* Returns the set without the signal of the timers if `set` has all signals. */
static const sigset_t *less(const sigset_t *set, sigset_t *kept)
{
    if (!set || !fn_sampling_is_on() || sigismember(set, fn_signal()) != 1 || !is_all(set))
        return set;
    *kept = *set;
    sigdelset(kept, fn_signal());
    return kept;
}

/* The same for a set that is waited for. A caller that waits for this signal in particular gets it.
 */
static const sigset_t *waited(const sigset_t *set, sigset_t *kept)
{
    if (set && fn_sampling_is_on() && sigismember(set, fn_signal()) == 1 && !is_all(set))
        hand_over(fn_signal());
    return less(set, kept);
}

FN_PUBLIC int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t kept;
    return fn_libc()->pthread_sigmask(how, how == SIG_UNBLOCK ? set : less(set, &kept), old);
}

FN_PUBLIC int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t kept;
    return fn_libc()->sigprocmask(how, how == SIG_UNBLOCK ? set : less(set, &kept), old);
}

FN_PUBLIC int sigwait(const sigset_t *set, int *number)
{
    sigset_t kept;
    return fn_libc()->sigwait(waited(set, &kept), number);
}

FN_PUBLIC int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    sigset_t kept;
    return fn_libc()->sigwaitinfo(waited(set, &kept), info);
}

FN_PUBLIC int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    sigset_t kept;
    return fn_libc()->sigtimedwait(waited(set, &kept), info, timeout);
}

FN_PUBLIC int signalfd(int fd, const sigset_t *set, int flags);
int signalfd(int fd, const sigset_t *set, int flags)
{
    sigset_t kept;
    return fn_libc()->signalfd(fd, waited(set, &kept), flags);
}
#endif
