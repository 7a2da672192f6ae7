/* SPDX-License-Identifier: MIT */
/* Measures limits: what programs take that do only what the kernel and the loader do for six sinks.
 * Nothing of the library is called. */
#include "bench/real/real.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static const char *const sinks[] = {"table", "markdown", "csv", "runlog", "tensorboard", "wandb"};
enum {
    SINKS = sizeof sinks / sizeof *sinks,
    THREADS = SINKS + 2
}; /* the dispatcher, and signals */

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "real: %s\n", what);
    exit(1);
}

static void plugins_load(void)
{
    const char *folder = getenv("STEPWATCH_PLUGIN_PATH");
    for (int i = 0; i < SINKS; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s.so", folder ? folder : ".", sinks[i]);
        if (!dlopen(path, RTLD_NOW | RTLD_LOCAL))
            fail(dlerror());
    }
}

static void *wait_for_end(void *arg)
{
    pause();
    return arg;
}

static void thread_start(void *(*run)(void *arg), void *arg)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, arg) != 0)
        fail("cannot start a thread");
}

/* Loads the plugins of six sinks and starts as many threads as sw_open() does. */
static void bare_open(void)
{
    int64_t begin = real_ns();
    plugins_load();
    for (int i = 0; i < THREADS; i++)
        thread_start(wait_for_end, NULL);
    figure("bare_open_six", "ns", (double)(real_ns() - begin));
}

/* Writes a file of 2 KiB as programs do that leave no half of it: under another name first. */
static void file_write(int number)
{
    static const char text[2048] = "";
    char path[32], draft[32];
    snprintf(path, sizeof path, "file-%d", number);
    snprintf(draft, sizeof draft, "draft-%d", number);
    int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, text, sizeof text) != sizeof text || close(fd) != 0 ||
        rename(draft, path) != 0)
        fail("cannot write a file");
}

/* The files of a short run, written one after the other. */
static void bare_files(void)
{
    enum { FILES = 16 };
    int64_t begin = real_ns();
    for (int i = 0; i < FILES; i++)
        file_write(i);
    figure("bare_files", "ns", (double)(real_ns() - begin));
}

/* ---- threads that write what sinks write ----------------------------------------------------- */

enum { STEP_BYTES = 256, RATE = 10000, LOOK_MS = 50, WRITERS = 3 };

static int64_t cpu_of_process(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

/* Wakes up as often as the thread of a sink. file: what it writes to, or NULL. */
static void *look_and_write(void *file)
{
    static const char text[STEP_BYTES * RATE / 1000 * LOOK_MS] = "";
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000}, NULL);
        if (fd >= 0 && write(fd, text, sizeof text) != sizeof text)
            fail("cannot write a file");
    }
    return NULL;
}

/* As many threads as six sinks have at 10,000 steps a second, and as many bytes of each step; but
 * nothing is measured, moved or formatted. */
static void bare_cpu(void)
{
    static char file[WRITERS][16];
    for (int i = 0; i < SINKS + 1; i++) {
        if (i < WRITERS)
            snprintf(file[i], sizeof file[i], "bytes-%d", i);
        thread_start(look_and_write, i < WRITERS ? file[i] : NULL);
    }
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    int64_t begin = real_ns(), cpu = cpu_of_process();
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    cpu = cpu_of_process() - cpu;
    figure("bare_cpu_at_10000", "percent", 100.0 * (double)cpu / (double)(real_ns() - begin));
}

const struct real_case bare_cases[] = {
    {"bare_open", bare_open}, {"bare_files", bare_files}, {"bare_cpu", bare_cpu}, {NULL, NULL}};
