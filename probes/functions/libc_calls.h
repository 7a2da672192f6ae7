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

struct fn_libc {
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    fn_signal_handler *(*signal)(int, fn_signal_handler *);
    fn_signal_handler *(*sysv_signal)(int, fn_signal_handler *);
    fn_signal_handler *(*sigset)(int, fn_signal_handler *);
    int (*setitimer)(int, const struct itimerval *, struct itimerval *);
    int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
    int (*sigprocmask)(int, const sigset_t *, sigset_t *);
    int (*sigwait)(const sigset_t *, int *);
    int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
    int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
    int (*signalfd)(int, const sigset_t *, int);
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*thrd_create)(thrd_t *, thrd_start_t, void *);
    pid_t (*vfork)(void);
    int (*execve)(const char *, char *const[], char *const[]);
    int (*execvpe)(const char *, char *const[], char *const[]);
    int (*fexecve)(int, char *const[], char *const[]);
    int (*libc_start_main)(int (*)(int, char **, char **), int, char **, void (*)(void),
                           void (*)(void), void (*)(void), void *);
};

/* Found at the first call, which is at the start of the process. */
const struct fn_libc *fn_libc(void);

#endif
