/* SPDX-License-Identifier: MIT */
#include "tests/mlflow/mlflow_server.h"
#include "tests/support/scratch.h"

#include <arpa/inet.h>
#include <check.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t server = -1;
static int ends[2], port;
static char record[512];

/* Nothing of whoever runs the tests. */
static void alone(void)
{
    extern char **environ;
    for (size_t i = 0; environ[i];) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
        if (strncmp(name, "MLFLOW_", 7) == 0)
            unsetenv(name);
        else
            i++;
    }
    setenv("HOME", scratch_path(""), 1);
    setenv("no_proxy", "*", 1);
    setenv("LOGNAME", "me", 1);
}

static int start(const char *faults)
{
    extern char **environ;
    char *words = strdup(faults), *save = NULL;
    char *argv[16] = {"python3", "-B", SRCDIR "/tests/mlflow/server.py", record};
    posix_spawn_file_actions_t actions;
    int n = 4;
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[n++] = word;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int rc = posix_spawnp(&server, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    free(words);
    return rc;
}

bool mlflow_begin(const char *faults)
{
    char line[32] = "", uri[64];
    scratch_enter();
    alone();
    snprintf(record, sizeof record, "%s", scratch_path("requests.jsonl"));
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    bool started = start(faults) == 0 && recv(ends[0], line, sizeof line - 1, 0) > 0;
    port = atoi(line);
    if (!started)
        printf("SKIP: no stand-in for an MLflow server: there is no python3\n");
    snprintf(uri, sizeof uri, "http://127.0.0.1:%d", port);
    setenv("MLFLOW_TRACKING_URI", uri, 1);
    return started;
}

void mlflow_end(void)
{
    shutdown(ends[0], SHUT_WR);
    waitpid(server, NULL, 0);
    close(ends[0]);
}

static int connected(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

json_t *mlflow_state(void)
{
    static const char request[] = "GET /state HTTP/1.0\r\n\r\n";
    static char text[1 << 20];
    size_t size = 0;
    ssize_t n;
    int fd = connected();
    ck_assert_int_eq(send(fd, request, strlen(request), 0), strlen(request));
    while (size < sizeof text - 1 && (n = recv(fd, text + size, sizeof text - 1 - size, 0)) > 0)
        size += (size_t)n;
    close(fd);
    text[size] = '\0';
    const char *body = strstr(text, "\r\n\r\n");
    json_t *state = body ? json_loads(body, 0, NULL) : NULL;
    ck_assert_msg(state != NULL, "the server says: %s", text);
    return state;
}

json_t *mlflow_run(json_t *state)
{
    const char *id;
    json_t *run, *found = NULL;
    json_object_foreach(json_object_get(state, "runs"), id, run)
    {
        const json_t *info = json_object_get(run, "info");
        const json_t *stage = json_object_get(info, "lifecycle_stage");
        if (strcmp(json_string_value(stage), "active") != 0)
            continue;
        ck_assert_msg(!found, "there are two runs");
        found = run;
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

json_t *mlflow_requests(void)
{
    json_t *all = json_array(), *one;
    FILE *file = fopen(record, "r");
    ck_assert_ptr_nonnull(file);
    while ((one = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)))
        json_array_append_new(all, one);
    fclose(file);
    return all;
}

const char *mlflow_journal(const char *uid, const char *text)
{
    static char folder[128];
    char path[192];
    snprintf(folder, sizeof folder, "mlflow/run-20260101_000000-%s", uid);
    mkdir("mlflow", 0700);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/journal.jsonl", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return folder;
}
