/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "tools/console/console.h"
#include "tools/output/print.h"

#include <stepwatch/wandb.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the runs of a program that died --------------------------------------------------------- */

enum { RUNS_MAX = 16, STATE_MAX = PATH_MAX + NAME_MAX, BLOCK = 64 << 10 };
/* How long the command waits for the upload of the last lines. */
#define UPLOAD_S 10

static char folder[RUNS_MAX][PATH_MAX];
static int count;

/* The name of a folder says whether its run was uploaded while it was written. */
static bool was_online(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && strncmp(slash, "/run-", 5) == 0;
}

static bool was_offline(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && strncmp(slash, "/offline-run-", 13) == 0;
}

/* Returns whether a file of this name says that its run has not ended. */
static bool is_state(const char *name)
{
    static const char end[] = ".wandb.console";
    size_t size = strlen(name);
    return strncmp(name, "run-", 4) == 0 && size > sizeof end &&
           strcmp(name + size - (sizeof end - 1), end) == 0;
}

/* The sink removes the file RUN.wandb.console when it ends the run. Returns whether it is there. */
static bool state_find(const char *path, char *state_path, size_t size)
{
    DIR *files = opendir(path);
    const struct dirent *file;
    bool found = false;
    while (files && !found && (file = readdir(files))) {
        found = is_state(file->d_name);
        snprintf(state_path, size, "%s/%s", path, file->d_name);
    }
    if (files)
        closedir(files);
    return found;
}

/* The program may have ended many other runs before. */
void dead_runs_add(const char *path)
{
    char state_path[STATE_MAX];
    if (count < RUNS_MAX && strlen(path) < PATH_MAX && (was_online(path) || was_offline(path)) &&
        state_find(path, state_path, sizeof state_path))
        snprintf(folder[count++], PATH_MAX, "%s", path);
}

/* ---- what the program printed ---------------------------------------------------------------- */

/* Positions stay what they are. Holes stay holes. */
static bool content_copy(int from, int to)
{
    char block[BLOCK];
    struct stat status;
    off_t at = 0;
    ssize_t got = 0;
    while ((at = lseek(from, at, SEEK_DATA)) >= 0 && (got = pread(from, block, BLOCK, at)) > 0) {
        if (pwrite(to, block, (size_t)got, at) != got)
            return false;
        at += got;
    }
    return got >= 0 && fstat(from, &status) == 0 && ftruncate(to, status.st_size) == 0;
}

static void output_keep(const char *log_path, const char *output, int stream)
{
    char from_path[PATH_MAX + 16], path[STATE_MAX + 32];
    snprintf(from_path, sizeof from_path, "%s%s", output, stream == 2 ? ".stderr" : "");
    snprintf(path, sizeof path, "%s.console.%d", log_path, stream);
    int from = open(from_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (from < 0)
        return;
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0 || !content_copy(from, to))
        say("run", "%s: the program's last lines could not be kept", path);
    if (to >= 0)
        close(to);
    close(from);
}

static void status_add(const char *state_path, int status)
{
    int fd = open(state_path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (dprintf(fd, "exit %d\n", status) < 0)
        say("run", "%s: cannot be written", state_path);
    close(fd);
}

/* ---- the upload ------------------------------------------------------------------------------ */

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

/* ---- all of them ----------------------------------------------------------------------------- */

static void run_end(const char *path, int status, const char *output)
{
    char state_path[STATE_MAX], log_path[STATE_MAX];
    if (!state_find(path, state_path, sizeof state_path))
        return;
    snprintf(log_path, sizeof log_path, "%.*s", (int)(strlen(state_path) - strlen(".console")),
             state_path);
    for (int i = 1; output && i <= 2; i++)
        output_keep(log_path, output, i);
    status_add(state_path, status);
    if (was_online(path))
        upload(path);
}

void dead_runs_end(int status, const char *output)
{
    for (int i = 0; i < count; i++)
        run_end(folder[i], status, output);
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
