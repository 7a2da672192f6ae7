/* SPDX-License-Identifier: MIT */
/* Hooks that count nothing, in a program that is sampled and in children, make no system call: they
 * take less time than two. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NO_HOOKS __attribute__((no_instrument_function))

enum { ROUNDS = 20, CALLS = 10000 };

static __attribute__((noinline)) void hooked(void)
{
    __asm__ volatile("");
}

NO_HOOKS static void two_system_calls(void)
{
    uint64_t set;
    for (int i = 0; i < 2; i++)
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &set, sizeof set);
}

NO_HOOKS static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The least of some rounds: other programs may run during most of them. */
NO_HOOKS static int64_t least_ns(void (*call)(void))
{
    int64_t least = INT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t begin = now_ns();
        for (int i = 0; i < CALLS; i++)
            call();
        int64_t took = now_ns() - begin;
        least = took < least ? took : least;
    }
    return least;
}

NO_HOOKS static int check(const char *where)
{
    int64_t hooks = least_ns(hooked), system_calls = least_ns(two_system_calls);
    if (hooks < system_calls)
        return 0;
    fprintf(stderr, "%s: a call takes %.1f ns, two system calls %.1f ns\n", where,
            (double)hooks / CALLS, (double)system_calls / CALLS);
    return 1;
}

NO_HOOKS int main(int argc, char **argv)
{
    int status = 0;
    (void)argv;
    if (argc > 1)
        return check("sampled");
    hooked();
    pid_t child = fork();
    if (child == 0)
        _exit(check("child"));
    waitpid(child, &status, 0);
    return status != 0;
}
