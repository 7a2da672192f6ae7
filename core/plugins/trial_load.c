/* SPDX-License-Identifier: MIT */
#include "core/plugins/trial_load.h"
#include "core/plugins/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 10, TRIES = 2 };

/* A byte says that loading came back, whatever the exit status is that a constructor thinks of. */
static _Noreturn void child(const struct swi_kind *kind, const char *folder, const char *name,
                            int done)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const struct rlimit none = {0, 0};
    struct swi_plugin plugin;
    SW_ERROR_SCOPE(ignored);
    setrlimit(RLIMIT_CORE, &none);
    /* The parent's handlers would report a crash of the program. */
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    swi_plugin_load_from(kind, &plugin, folder, name, NULL, 0, &ignored);
    _exit(write(done, ".", 1) == 1 ? 0 : 1);
}

/* Returns 1 if the child has reported, 0 if it ended without, and -1 if it did neither in time. */
static int answer(int done)
{
    struct pollfd waited = {.fd = done, .events = POLLIN};
    char byte;
    int rc;
    while ((rc = poll(&waited, 1, PATIENCE_S * 1000)) < 0 && errno == EINTR)
        continue;
    return rc > 0 ? read(done, &byte, 1) == 1 : -1;
}

/* Returns -1 if the program prevents waiting for its children. */
static int status_of(pid_t pid)
{
    int status;
    pid_t rc;
    while ((rc = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        continue;
    return rc == pid ? status : -1;
}

static int refuse(int answered, int status, struct sw_error *err)
{
    if (answered < 0)
        return sw_error_set(err, SW_ESINK, "loading it takes longer than %d s", PATIENCE_S);
    if (status != -1 && WIFSIGNALED(status))
        return sw_error_set(err, SW_ESINK, "it crashes when loaded: %s",
                            strsignal(WTERMSIG(status)));
    return sw_error_set(err, SW_ESINK, "it ends the program when loaded");
}

/* Where no process can be made, the plugin is believed to be one that can be loaded. */
static int probe_once(const struct swi_kind *kind, const char *folder, const char *name,
                      struct sw_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0)
        child(kind, folder, name, ends[1]);
    close(ends[1]);
    int answered = pid > 0 ? answer(ends[0]) : 1;
    close(ends[0]);
    /* Also kill a child that closed its files and runs on, because waiting for it might never end.
     */
    if (pid > 0 && answered != 1)
        kill(pid, SIGKILL);
    int status = pid > 0 ? status_of(pid) : 0;
    return answered == 1 ? 0 : refuse(answered, status, err);
}

/* A child crashes by itself if another thread was within the dynamic loader when it was made. A
 * plugin that crashes does so each time. */
int swi_plugin_trial_load(const struct swi_kind *kind, const char *folder, const char *name,
                          struct sw_error *err)
{
    int rc = probe_once(kind, folder, name, err);
    for (int i = 1; i < TRIES && rc != 0; i++) {
        sw_error_free(err);
        rc = probe_once(kind, folder, name, err);
    }
    return rc;
}
