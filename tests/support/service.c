/* SPDX-License-Identifier: MIT */
#include "tests/support/service.h"

#include <check.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 32, PATIENCE_MS = 60000, PAUSE_MS = 20 };

struct service {
    pid_t pid;
    int fd; /* both of its standard streams */
    char folder[64];
    json_t *said; /* its first line */
};

static const char *said(const struct service *service, const char *name)
{
    return json_string_value(json_object_get(service->said, name));
}

/* ---- lines in and out ------------------------------------------------------------------------ */

/* False if it has ended. */
static bool line_read(struct service *service, char *line, size_t room)
{
    size_t n = 0;
    while (n + 1 < room) {
        struct pollfd ready = {.fd = service->fd, .events = POLLIN};
        ck_assert_msg(poll(&ready, 1, PATIENCE_MS) == 1, "the service does not answer");
        if (recv(service->fd, line + n, 1, 0) != 1)
            return false;
        if (line[n] == '\n')
            break;
        n++;
    }
    line[n] = '\0';
    return true;
}

static void command(struct service *service, const char *text)
{
    char line[512];
    snprintf(line, sizeof line, "%s\n", text);
    ck_assert_int_eq(send(service->fd, line, strlen(line), MSG_NOSIGNAL), strlen(line));
    ck_assert_msg(line_read(service, line, sizeof line), "the service has ended");
    ck_assert_str_eq(line, "ok");
}

void service_say(struct service *service, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    command(service, text);
}

/* ---- start and end --------------------------------------------------------------------------- */

static int spawn(struct service *service, char **argv, int end)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
    int rc = posix_spawnp(&service->pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static int start(struct service *service, const char *arguments)
{
    char *words = strdup(arguments), *save = NULL;
    char *argv[WORDS_MAX + 8] = {"python3", "-B", SRCDIR "/tests/wandb/server", "--folder",
                                 service->folder};
    int n = 5, ends[2];
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        ck_assert_int_lt(n, WORDS_MAX);
        argv[n++] = word;
    }
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    int rc = spawn(service, argv, ends[1]);
    close(ends[1]);
    service->fd = ends[0];
    free(words);
    return rc;
}

static struct service *skip(struct service *service, const char *why)
{
    printf("SKIP: no stand-in for the service: %s\n", why);
    service_close(service);
    return NULL;
}

struct service *service_open(const char *arguments)
{
    char line[1024];
    struct service *service = calloc(1, sizeof *service);
    ck_assert_ptr_nonnull(service);
    snprintf(service->folder, sizeof service->folder, "/tmp/stepwatch-service-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(service->folder));
    service->pid = -1;
    if (start(service, arguments) != 0)
        return skip(service, "there is no python3");
    ck_assert_msg(line_read(service, line, sizeof line), "the service does not start");
    service->said = json_loads(line, 0, NULL);
    ck_assert_msg(service->said != NULL, "the service says: %s", line);
    const char *why = said(service, "skip");
    return why ? skip(service, why) : service;
}

/* It ends with its standard input. */
void service_close(struct service *service)
{
    char line[512], remove[128];
    shutdown(service->fd, SHUT_WR);
    if (service->pid > 0) {
        while (line_read(service, line, sizeof line))
            ;
        waitpid(service->pid, NULL, 0);
    }
    close(service->fd);
    snprintf(remove, sizeof remove, "rm -rf %s", service->folder);
    ck_assert_int_eq(system(remove), 0);
    json_decref(service->said);
    free(service);
}

const char *service_url(const struct service *service)
{
    return said(service, "url");
}

const char *service_other_url(const struct service *service)
{
    return said(service, "other");
}

const char *service_ca(const struct service *service)
{
    return said(service, "ca");
}

const char *service_folder(const struct service *service)
{
    return service->folder;
}

/* ---- what it got ----------------------------------------------------------------------------- */

json_t *service_state(struct service *service)
{
    char path[128];
    json_error_t error;
    command(service, "state");
    snprintf(path, sizeof path, "%s/state.json", service->folder);
    json_t *state = json_load_file(path, JSON_ALLOW_NUL, &error);
    ck_assert_msg(state != NULL, "%s: %s", path, error.text);
    return state;
}

json_t *service_run(json_t *state)
{
    json_t *runs = json_object_get(state, "runs");
    return json_object_iter_value(json_object_iter(runs));
}

json_t *service_requests(struct service *service)
{
    char path[128], *line = NULL;
    size_t room = 0;
    json_t *requests = json_array();
    snprintf(path, sizeof path, "%s/requests.jsonl", service->folder);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    for (ssize_t n; (n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n';) {
        json_t *request = json_loads(line, JSON_ALLOW_NUL, NULL);
        ck_assert_msg(request != NULL, "%s", line);
        json_array_append_new(requests, request);
    }
    fclose(file);
    free(line);
    return requests;
}

int service_count(struct service *service, const char *operation)
{
    int count = 0;
    size_t i;
    json_t *requests = service_requests(service), *request;
    json_array_foreach(requests, i, request)
    {
        const char *name = json_string_value(json_object_get(request, "operation"));
        count += name && (strcmp(operation, "any") == 0 || strcmp(operation, name) == 0);
    }
    json_decref(requests);
    return count;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

void service_wait(struct service *service, const char *operation, int count)
{
    int found = 0;
    for (int waited = 0; waited < PATIENCE_MS; waited += PAUSE_MS) {
        found = service_count(service, operation);
        if (found >= count)
            return;
        pause_ms(PAUSE_MS);
    }
    ck_abort_msg("%d requests %s came, expected %d", found, operation, count);
}

void service_wait_until(struct service *service, bool (*holds)(json_t *state, void *arg), void *arg)
{
    for (int waited = 0; waited < PATIENCE_MS; waited += PAUSE_MS) {
        json_t *state = service_state(service);
        bool done = holds(state, arg);
        json_decref(state);
        if (done)
            return;
        pause_ms(PAUSE_MS);
    }
    ck_abort_msg("what was waited for does not come");
}
