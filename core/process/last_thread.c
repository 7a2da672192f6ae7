/* SPDX-License-Identifier: MIT */
#include "core/process/own_thread.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* /proc no longer names the program of a process whose main thread has ended. */
static bool main_may_have_ended(void)
{
    char path[8];
    return readlink("/proc/self/exe", path, sizeof path) < 0 && (errno == ENOENT || errno == ESRCH);
}

struct task {
    char name[32];
    char state;
    unsigned long long blocked;
};

static bool task_read(const char *number, struct task *task)
{
    char path[64], line[128];
    *task = (struct task){0};
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", number);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "Name: %31[^\n]", task->name);
        sscanf(line, "State: %c", &task->state);
        sscanf(line, "SigBlk: %llx", &task->blocked);
    }
    fclose(file);
    return true;
}

/* Threads of stepwatch and of sinks have this name prefix and block the signals that a program
 * waits for. */
static bool is_ours(const struct task *task)
{
    const unsigned long long asked =
        1ULL << (SIGINT - 1) | 1ULL << (SIGTERM - 1) | 1ULL << (SIGHUP - 1) | 1ULL << (SIGUSR1 - 1);
    return strncmp(task->name, "sw-", 3) == 0 && (task->blocked & asked) == asked;
}

static bool has_ended(const struct task *task)
{
    return task->state == 'Z' || task->state == 'X';
}

/* If something cannot be read, a thread is assumed to be left. */
static bool none_is_left(void)
{
    const struct dirent *entry;
    bool main_ended = false, left = false;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks && !left && (entry = readdir(tasks))) {
        struct task task;
        if (*entry->d_name == '.' || !task_read(entry->d_name, &task))
            continue;
        main_ended = main_ended || (atoi(entry->d_name) == getpid() && has_ended(&task));
        left = !has_ended(&task) && !is_ours(&task);
    }
    if (tasks)
        closedir(tasks);
    return main_ended && !left;
}

static bool thread_start(void *(*run)(void *))
{
    pthread_t thread;
    int rc = swi_own_thread_start(&thread, run, NULL);
    if (rc == 0)
        pthread_detach(thread);
    return rc == 0;
}

/* Starts each thread at most once. */
static void thread_start_once(atomic_bool *started, void *(*run)(void *))
{
    if (!atomic_exchange(started, true) && !thread_start(run))
        atomic_store(started, false);
}

static atomic_bool ending, watched;

static void *end(void *arg)
{
    (void)arg;
    pthread_setname_np(pthread_self(), "sw-end");
    exit(0);
}

void swi_last_thread_look(void)
{
    if (main_may_have_ended() && none_is_left())
        thread_start_once(&ending, end);
}

static _Noreturn void *watch(void *arg)
{
    const struct timespec pause = {.tv_nsec = 250000000};
    (void)arg;
    pthread_setname_np(pthread_self(), "sw-alone");
    for (;;) {
        nanosleep(&pause, NULL);
        swi_last_thread_look();
    }
}

void swi_last_thread_watch(void)
{
    thread_start_once(&watched, watch);
}

void swi_last_thread_child(void)
{
    atomic_store(&ending, false);
    atomic_store(&watched, false);
}
