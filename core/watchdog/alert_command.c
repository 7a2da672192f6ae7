/* SPDX-License-Identifier: MIT */
#include "core/watchdog/alert_command.h"
#include "core/clock/now.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_NS (30 * INT64_C(1000000000))

enum { OWN = 5 };

/* Returns the program's environment with the alert, or NULL if out of memory. */
static char **environment_new(char *const own[OWN])
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **all = malloc((count + OWN + 1) * sizeof *all);
    size_t kept = 0;
    for (size_t i = 0; all && i < count; i++)
        if (strncmp(environ[i], "STEPWATCH_ALERT_", 16) != 0)
            all[kept++] = environ[i];
    for (size_t i = 0; all && i < OWN; i++)
        all[kept++] = own[i];
    if (all)
        all[kept] = NULL;
    return all;
}

static bool own_make(char *own[OWN], const struct swi_alert_delivery *delivery)
{
    memset(own, 0, OWN * sizeof *own);
    return asprintf(&own[0], "STEPWATCH_ALERT_TITLE=%s", delivery->title) >= 0 &&
           asprintf(&own[1], "STEPWATCH_ALERT_TEXT=%s", delivery->text) >= 0 &&
           asprintf(&own[2], "STEPWATCH_ALERT_KIND=%s", delivery->kind) >= 0 &&
           asprintf(&own[3], "STEPWATCH_ALERT_STEP=%" PRId64, delivery->step) >= 0 &&
           asprintf(&own[4], "STEPWATCH_ALERT_RUN=%s", delivery->run->name) >= 0;
}

/* Starts the command in a process group of its own, so that all of it can be killed, and with
 * default signals. */
static int spawn(pid_t *pid, const char *command, char *const *environment)
{
    char *argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)command,
                    NULL};
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    int rc = posix_spawn(pid, "/bin/sh", &files, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return rc;
}

/* If the program waits for all its children itself, waitpid() fails and the status is unknown. */
static bool has_ended(pid_t pid, int *status)
{
    pid_t rc = waitpid(pid, status, WNOHANG);
    return rc == pid || (rc < 0 && errno == ECHILD && kill(pid, 0) < 0);
}

/* Returns false if it was killed. */
static bool wait_for(pid_t pid, const atomic_bool *hurry, int *status)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    int64_t until_ns = swi_now_ns() + LIMIT_NS;
    while (!has_ended(pid, status)) {
        if (swi_now_ns() > until_ns || atomic_load(hurry)) {
            kill(-pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

static int run(const char *command, char *const *environment, const atomic_bool *hurry,
               struct sw_error *err)
{
    pid_t pid;
    int status = 0, rc = spawn(&pid, command, environment);
    if (rc != 0)
        return sw_error_set(err, SW_EIO, "cannot run /bin/sh: %s", strerror(rc));
    if (!wait_for(pid, hurry, &status))
        return sw_error_set(err, SW_EIO, "did not end within 30 s, and was killed");
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return sw_error_set(err, SW_EIO, "ended with status %d", WEXITSTATUS(status));
    if (WIFSIGNALED(status))
        return sw_error_set(err, SW_EIO, "was ended by signal %d", WTERMSIG(status));
    return 0;
}

int swi_alert_command_run(const char *command, const struct swi_alert_delivery *delivery,
                          const atomic_bool *hurry, struct sw_error *err)
{
    char *own[OWN];
    bool made = own_make(own, delivery);
    char **environment = made ? environment_new(own) : NULL;
    int rc = environment ? run(command, environment, hurry, err)
                         : sw_error_set(err, SW_ENOMEM, "not enough memory");
    free(environment);
    for (size_t i = 0; i < OWN; i++)
        free(own[i]);
    return rc;
}
