/* SPDX-License-Identifier: MIT */
#include "core/watchdog/messenger.h"

#include "core/clock/now.h"
#include "core/process/own_thread.h"
#include "core/text/address_user.h"

#include <stepwatch/error.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the command of the watchdog ------------------------------------------------------------- */

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
    int64_t until_ns = swi_now_ns() + LIMIT_NS;
    while (!has_ended(pid, status)) {
        if (swi_now_ns() > until_ns || atomic_load(hurry)) {
            kill(-pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
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

/* Runs a command with /bin/sh. The alert is in the environment (STEPWATCH_ALERT_TITLE, _TEXT,
 * _KIND, _STEP and _RUN), never in the text of the command. Waits for 30 s at most, or until *hurry
 * is set, and then kills the command and all that it started. Returns 0, or SW_EIO and err says why
 * it failed. */
static int alert_command_run(const char *command, const struct swi_alert_delivery *delivery,
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

/* ---- sends alerts to a command and to a web address, one at a time, on its own thread -------- */

/* How many alerts may wait. */
enum { WAITING_MAX = 16 };

struct swi_messenger {
    char *command;
    struct swi_webhook webhook; /* without an address: none */
    const struct sw_run *run;
    struct swi_messages *messages;
    pthread_t thread;
    bool abandoned;           /* the thread did not end in time */
    bool failure_reported[2]; /* for the command and the webhook: report a failure once */
    atomic_bool hurry;        /* end a running command or request */
    pthread_mutex_t lock;     /* guards what follows */
    pthread_cond_t change;
    struct swi_alert_delivery *first, **last;
    int waiting;
    bool stopping, ended;
};

static void delivery_free(struct swi_alert_delivery *delivery)
{
    free(delivery->kind);
    free(delivery->title);
    free(delivery->text);
    free(delivery);
}

void swi_messenger_free(struct swi_messenger *messenger)
{
    if (!messenger || messenger->abandoned)
        return;
    for (struct swi_alert_delivery *delivery = messenger->first, *next; delivery; delivery = next) {
        next = delivery->next;
        delivery_free(delivery);
    }
    free(messenger->command);
    free(messenger->webhook.url);
    pthread_cond_destroy(&messenger->change);
    pthread_mutex_destroy(&messenger->lock);
    free(messenger);
}

/* ---- on its thread --------------------------------------------------------------------------- */

/* Waits for the next alert. Returns NULL at the end. */
static struct swi_alert_delivery *delivery_take(struct swi_messenger *messenger)
{
    pthread_mutex_lock(&messenger->lock);
    while (!messenger->first && !messenger->stopping)
        pthread_cond_wait(&messenger->change, &messenger->lock);
    struct swi_alert_delivery *delivery = messenger->first;
    if (delivery) {
        messenger->first = delivery->next;
        messenger->last = messenger->first ? messenger->last : &messenger->first;
        messenger->waiting--;
    }
    pthread_mutex_unlock(&messenger->lock);
    return delivery;
}

/* Reports a failure only once, since a run may take hours. */
static void failed(struct swi_messenger *messenger, int which, const struct sw_error *err)
{
    static const char *const names[] = {"command", "webhook"};
    if (messenger->failure_reported[which] || atomic_load(&messenger->hurry))
        return;
    messenger->failure_reported[which] = true;
    swi_say(messenger->messages, SW_NOTE, "watchdog: %s: %s", names[which], sw_error_text(err));
}

static void bring(struct swi_messenger *messenger, const struct swi_alert_delivery *delivery)
{
    SW_ERROR_SCOPE(err);
    SW_ERROR_SCOPE(other);
    if (messenger->command &&
        alert_command_run(messenger->command, delivery, &messenger->hurry, &err) < 0)
        failed(messenger, 0, &err);
    if (messenger->webhook.url &&
        swi_webhook_post(&messenger->webhook, delivery, &messenger->hurry, &other) < 0)
        failed(messenger, 1, &other);
}

static void *messenger_main(void *arg)
{
    struct swi_messenger *messenger = arg;
    struct swi_alert_delivery *delivery;
    pthread_setname_np(pthread_self(), "sw-alerts");
    while ((delivery = delivery_take(messenger))) {
        bring(messenger, delivery);
        delivery_free(delivery);
    }
    pthread_mutex_lock(&messenger->lock);
    messenger->ended = true;
    pthread_cond_broadcast(&messenger->change);
    pthread_mutex_unlock(&messenger->lock);
    return NULL;
}

/* ---- from other threads ---------------------------------------------------------------------- */

static const char *environment(void *arg, const char *name)
{
    (void)arg;
    return secure_getenv(name);
}

struct swi_messenger *swi_messenger_start(const char *command, const char *webhook,
                                          const struct sw_run *run, struct swi_messages *messages)
{
    struct swi_messenger *messenger = calloc(1, sizeof *messenger);
    if (!messenger)
        return NULL;
    messenger->run = run;
    messenger->messages = messages;
    messenger->last = &messenger->first;
    messenger->command = command ? strdup(command) : NULL;
    messenger->webhook.url = webhook ? strdup(webhook) : NULL;
    swi_connection_find(&messenger->webhook.connection, environment, NULL);
    pthread_mutex_init(&messenger->lock, NULL);
    swi_cond_init(&messenger->change);
    bool copied = (!command || messenger->command) && (!webhook || messenger->webhook.url);
    if (copied && swi_own_thread_start(&messenger->thread, messenger_main, messenger) == 0)
        return messenger;
    swi_messenger_free(messenger);
    return NULL;
}

static struct swi_alert_delivery *delivery_new(const struct swi_messenger *messenger,
                                               const struct sw_alert *alert, int64_t step)
{
    struct swi_alert_delivery *delivery = calloc(1, sizeof *delivery);
    if (!delivery)
        return NULL;
    delivery->run = messenger->run;
    delivery->step = step;
    delivery->kind = strdup(alert->kind);
    delivery->title = swi_address_clean_copy(alert->title);
    delivery->text = swi_address_clean_copy(alert->text);
    if (delivery->kind && delivery->title && delivery->text)
        return delivery;
    delivery_free(delivery);
    return NULL;
}

void swi_messenger_send(struct swi_messenger *messenger, const struct sw_alert *alert, int64_t step)
{
    struct swi_alert_delivery *delivery = delivery_new(messenger, alert, step);
    pthread_mutex_lock(&messenger->lock);
    bool taken = delivery && messenger->waiting < WAITING_MAX && !messenger->stopping;
    if (taken) {
        *messenger->last = delivery;
        messenger->last = &delivery->next;
        messenger->waiting++;
        pthread_cond_broadcast(&messenger->change);
    }
    pthread_mutex_unlock(&messenger->lock);
    if (delivery && !taken)
        delivery_free(delivery);
}

/* Waits for the thread to end. Returns false if it did not. */
static bool end_wait(struct swi_messenger *messenger, int64_t limit_ns)
{
    int64_t until_ns = swi_now_ns() + limit_ns;
    int rc = 0;
    pthread_mutex_lock(&messenger->lock);
    messenger->stopping = true;
    pthread_cond_broadcast(&messenger->change);
    while (!messenger->ended && rc == 0)
        rc = swi_cond_wait(&messenger->change, &messenger->lock, until_ns);
    bool ended = messenger->ended;
    pthread_mutex_unlock(&messenger->lock);
    return ended;
}

void swi_messenger_stop(struct swi_messenger *messenger, int64_t limit_ns)
{
    enum { GRACE_NS = 500000000 }; /* to end a running command or request */
    if (!messenger)
        return;
    bool ended = end_wait(messenger, limit_ns);
    if (!ended) {
        atomic_store(&messenger->hurry, true);
        ended = end_wait(messenger, GRACE_NS);
    }
    messenger->abandoned = !ended;
    if (ended)
        pthread_join(messenger->thread, NULL);
    else
        pthread_detach(messenger->thread);
}
