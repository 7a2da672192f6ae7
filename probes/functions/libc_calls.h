/* SPDX-License-Identifier: MIT */
/* libc_calls.h - the functions of libc that this library interposes, as libc has them. */
#ifndef PROBES_FUNCTIONS_LIBC_CALLS_H
#define PROBES_FUNCTIONS_LIBC_CALLS_H

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/types.h>
#include <threads.h>

typedef void fn_signal_handler(int);

/* CALL(result, name, symbol, parameters) for each of them. */
#define FN_LIBC_CALLS(CALL)                                                                        \
    CALL(int, sigaction, "sigaction", (int, const struct sigaction *, struct sigaction *))         \
    CALL(fn_signal_handler *, signal, "signal", (int, fn_signal_handler *))                        \
    CALL(fn_signal_handler *, sysv_signal, "__sysv_signal", (int, fn_signal_handler *))            \
    CALL(fn_signal_handler *, sigset, "sigset", (int, fn_signal_handler *))                        \
    CALL(int, setitimer, "setitimer", (int, const struct itimerval *, struct itimerval *))         \
    CALL(int, pthread_sigmask, "pthread_sigmask", (int, const sigset_t *, sigset_t *))             \
    CALL(int, sigprocmask, "sigprocmask", (int, const sigset_t *, sigset_t *))                     \
    CALL(int, sigwait, "sigwait", (const sigset_t *, int *))                                       \
    CALL(int, sigwaitinfo, "sigwaitinfo", (const sigset_t *, siginfo_t *))                         \
    CALL(int, sigtimedwait, "sigtimedwait",                                                        \
         (const sigset_t *, siginfo_t *, const struct timespec *))                                 \
    CALL(int, signalfd, "signalfd", (int, const sigset_t *, int))                                  \
    CALL(int, pthread_create, "pthread_create",                                                    \
         (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                         \
    CALL(int, thrd_create, "thrd_create", (thrd_t *, thrd_start_t, void *))                        \
    CALL(pid_t, vfork, "vfork", (void))                                                            \
    CALL(int, libc_start_main, "__libc_start_main",                                                \
         (int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),            \
          void (*)(void), void *))

#define FN_LIBC_FIELD(result, name, symbol, parameters) result(*name) parameters;
struct fn_libc {
    FN_LIBC_CALLS(FN_LIBC_FIELD)
};

/* Found at the first call, which is at the start of the process. */
const struct fn_libc *fn_libc(void);

#endif
