/* SPDX-License-Identifier: MIT */
#include "tools/commands/launch.h"

#include "tools/output/stderr.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/* Blocks the signals: they are waited for and not handled, so that none is missed between a check
 * and a wait. */
static void signals_block(sigset_t *set, sigset_t *before)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(set, passed_on[i]);
    sigprocmask(SIG_BLOCK, set, before);
}

static int start(char **program)
{
    execvp(program[0], program);
    int status = errno == ENOENT ? CHILD_NOT_THERE : CHILD_NOT_STARTED;
    say("run", "%s: %s", program[0], strerror(errno));
    return status;
}

/* The terminal sends its signals to all programs in the foreground. If they were passed on, the
 * program would get them twice. */
static void pass_on(pid_t child, const siginfo_t *signal)
{
    if (signal->si_code != SI_KERNEL)
        kill(child, signal->si_signo);
}

static int wait_for(pid_t child, const sigset_t *set)
{
    int status = 0;
    for (;;) {
        siginfo_t signal;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (ended < 0 && errno != EINTR)
            return CHILD_NOT_STARTED;
        if (sigwaitinfo(set, &signal) > 0 && signal.si_signo != SIGCHLD)
            pass_on(child, &signal);
    }
}

int launch(char **program, void (*in_child)(void))
{
    struct sigaction children = {.sa_handler = SIG_DFL}, inherited;
    sigset_t set, before;
    /* If SIGCHLD were ignored, the kernel would discard the exit status. */
    sigaction(SIGCHLD, &children, &inherited);
    signals_block(&set, &before);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        sigaction(SIGCHLD, &inherited, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (in_child)
            in_child();
        _exit(start(program));
    }
    int status = CHILD_NOT_STARTED;
    if (child > 0)
        status = wait_for(child, &set);
    else
        say("run", "fork: %s", strerror(errno));
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGCHLD, &inherited, NULL);
    return status;
}
