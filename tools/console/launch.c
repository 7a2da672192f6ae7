/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "tools/console/console.h"
#include "tools/output/print.h"

#include <stepwatch/wandb.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the runs of a program that died --------------------------------------------------------- */

enum { RUNS_MAX = 16 };
/* How long the command waits for the upload of the last rows. */
#define UPLOAD_S 10

static char folder[RUNS_MAX][PATH_MAX];
static int count;

/* The name of a folder says whether its run was uploaded while it was written. */
static bool was_online(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && strncmp(slash, "/run-", 5) == 0;
}

/* The sink writes the summary at the end of a run. */
static bool has_ended(const char *path)
{
    char summary[PATH_MAX + 32];
    snprintf(summary, sizeof summary, "%s/files/wandb-summary.json", path);
    return access(summary, F_OK) == 0;
}

/* The program may have ended many other runs before. */
void dead_runs_add(const char *path)
{
    if (count < RUNS_MAX && strlen(path) < PATH_MAX && was_online(path) && !has_ended(path))
        snprintf(folder[count++], PATH_MAX, "%s", path);
}

static void upload(const char *path)
{
#ifdef HAVE_SEND
    SW_ERROR_SCOPE(err);
    struct sw_wandb_sync options = {.size = sizeof options, .timeout_s = UPLOAD_S};
    struct sw_wandb_result result = {.size = sizeof result};
    if (sw_wandb_sync(path, &options, &result, &err) < 0)
        say("run", "%s\nstepwatch run: upload the rest of the run with: stepwatch sync %s",
            sw_error_text(&err), path);
#else
    say("run", "upload the rest of the run with: stepwatch sync %s", path);
#endif
}

void dead_runs_upload(void)
{
    for (int i = 0; i < count; i++)
        upload(folder[i]);
    count = 0;
}

/* ---- starting a program ---------------------------------------------------------------------- */

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
        else if (signal.si_signo != SIGCHLD && signal.si_code != SI_KERNEL)
            kill(child, signal.si_signo); /* the terminal sends its signals to the program, too */
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
