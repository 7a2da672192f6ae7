/* SPDX-License-Identifier: MIT */
#include "tools/console/console.h"
#include "tools/output/stderr.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* What this process copies for the program, and a descriptor that can be read while a signal waits.
 */
struct copying {
    struct tee *tee; /* NULL: nothing */
    int signals;
};

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/* Blocks the signals: they are waited for and not handled, so that none is missed between a check
 * and a wait. */
static void signals_block(sigset_t *set, sigset_t *before, bool resized)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    if (resized)
        sigaddset(set, SIGWINCH);
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

/* Waits for a signal, and copies meanwhile. */
static bool signal_next(const sigset_t *set, const struct copying *copying, siginfo_t *signal)
{
    static const struct timespec now = {0};
    if (!copying->tee)
        return sigwaitinfo(set, signal) > 0;
    tee_copy(copying->tee, copying->signals);
    return sigtimedwait(set, signal, &now) > 0;
}

static int wait_for(pid_t child, const sigset_t *set, const struct copying *copying)
{
    int status = 0;
    for (;;) {
        siginfo_t signal;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (ended < 0 && errno != EINTR)
            return CHILD_NOT_STARTED;
        if (!signal_next(set, copying, &signal))
            continue;
        if (signal.si_signo == SIGWINCH && copying->tee)
            tee_resize(copying->tee);
        else if (signal.si_signo != SIGCHLD)
            pass_on(child, &signal);
    }
}

/* The signal of a program that ended at once may still wait. */
static void children_forget(void)
{
    static const struct timespec now = {0};
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigtimedwait(&children, NULL, &now);
}

/* Copies until the program has ended, and what it printed last. */
static int wait_and_copy(pid_t child, const sigset_t *set, struct tee *tee)
{
    struct copying copying = {.tee = tee, .signals = tee ? signalfd(-1, set, SFD_CLOEXEC) : -1};
    int status = wait_for(child, set, &copying);
    children_forget();
    if (tee)
        tee_drain(tee, copying.signals);
    if (copying.signals >= 0)
        close(copying.signals);
    return status;
}

int launch(char **program, void (*in_child)(void), struct tee *tee)
{
    struct sigaction children = {.sa_handler = SIG_DFL}, inherited;
    sigset_t set, before;
    /* If SIGCHLD were ignored, the kernel would discard the exit status. */
    sigaction(SIGCHLD, &children, &inherited);
    signals_block(&set, &before, tee != NULL);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        sigaction(SIGCHLD, &inherited, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (tee)
            tee_in_program(tee);
        if (in_child)
            in_child();
        _exit(start(program));
    }
    int status = CHILD_NOT_STARTED;
    if (tee)
        tee_in_parent(tee);
    if (child > 0)
        status = wait_and_copy(child, &set, tee);
    else
        say("run", "fork: %s", strerror(errno));
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGCHLD, &inherited, NULL);
    return status;
}
