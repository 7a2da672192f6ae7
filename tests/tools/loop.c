/* SPDX-License-Identifier: MIT */
/* loop - a program for stepwatch run.
 *
 *   loop steps STATUS   ten steps under sw_open(NULL), then exits with STATUS
 *   loop folder DIR     the same within another folder
 *   loop measure FILE   ten steps, makes FILE, and waits for the signal that ends it
 *   loop print HOW      ten steps and two thousand lines; HOW: end, kill (by SIGKILL), sweep (the
 *                       same after twenty runs that end), orphan (a process that it leaves behind
 *                       prints, and makes the file orphan)
 *   loop wait FILE      makes FILE and waits: SIGINT is counted, SIGUSR1 exits with the count,
 * others with 64 + their number */
#include <stepwatch/stepwatch.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts;
static int counted = -1;

static void on_signal(int signal)
{
    if (signal != SIGINT)
        _exit(signal == SIGUSR1 ? interrupts : 64 + signal);
    interrupts++;
    if (write(counted, "I", 1) != 1)
        _exit(98);
}

/* It is there when everything is ready for a signal, not before. */
static void file_make(const char *path)
{
    counted = open("making", O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (counted < 0 || rename("making", path) != 0)
        abort();
}

static struct sw_profiler *measure(void)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open(NULL, &err);
    if (!sw && err.code)
        sw_error_print(stderr, &err);
    for (int i = 0; i < 10; i++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 4);
    }
    return sw;
}

static int steps(const char *status)
{
    sw_close(measure(), NULL);
    return atoi(status);
}

static int within(const char *folder)
{
    return chdir(folder) == 0 ? steps("0") : 1;
}

static void orphan_leave(void)
{
    fflush(stdout);
    if (fork() != 0)
        return;
    usleep(300000);
    if (write(STDOUT_FILENO, "late\n", 5) == 5)
        close(open("orphan", O_CREAT | O_WRONLY, 0600));
    _exit(0);
}

static int print(const char *how)
{
    bool sweeps = strcmp(how, "sweep") == 0;
    printf("terminals: %d %d\n", isatty(STDOUT_FILENO), isatty(STDERR_FILENO));
    for (int i = 0; sweeps && i < 20; i++)
        sw_close(measure(), NULL);
    struct sw_profiler *sw = measure();
    /* Its sinks are open then. */
    sw_log(sw, "loss", 1);
    sw_flush(sw, INT64_C(20000000000));
    for (int i = 0; i < 2000; i++)
        printf("line %d\n", i);
    fflush(stdout);
    if (sweeps || strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "orphan") == 0)
        orphan_leave();
    sw_close(sw, NULL);
    return 3;
}

static int wait_measuring(const char *path)
{
    measure();
    file_make(path);
    while (pause() < 0)
        continue;
    return 1;
}

static int wait_counting(const char *path)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    sigset_t all;
    /* One at a time: SIGUSR1 finds every SIGINT before it counted. */
    sigfillset(&all);
    struct sigaction action = {.sa_handler = on_signal, .sa_mask = all};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    file_make(path);
    while (pause() < 0)
        continue;
    return 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const char *argument);
    } commands[] = {{"steps", steps},
                    {"folder", within},
                    {"measure", wait_measuring},
                    {"print", print},
                    {"wait", wait_counting}};
    for (size_t i = 0; argc == 3 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argv[2]);
    return 99;
}
