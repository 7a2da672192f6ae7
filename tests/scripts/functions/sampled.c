/* SPDX-License-Identifier: MIT */
/* sampled.c - a program without hooks whose functions are sampled: the first argument says what it
 * does. It says what is wrong, and fails, where something is not as it would be without samples. */
#include <stepwatch/stepwatch.h>

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile double sum;

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline __attribute__((always_inline)) double folded_in(double x)
{
    for (int i = 0; i < 20000; i++)
        x = x * 0.999 + i;
    return x;
}

APART double matrix(double seconds)
{
    for (double end = cpu_s() + seconds; cpu_s() < end;)
        sum = folded_in(sum);
    return sum;
}

APART void load(double seconds)
{
    for (double end = cpu_s() + seconds; cpu_s() < end;)
        for (int i = 0; i < 20000; i++)
            sum = sum * 0.5 + i;
}

APART double middle(double seconds)
{
    return matrix(seconds) + 1;
}

APART double recursive(int n, double seconds)
{
    return n ? recursive(n - 1, seconds) + 1 : matrix(seconds) + 1;
}

/* ---- what is sampled ---- */

static void *loader(void *arg)
{
    load(0.06);
    return arg;
}

APART int train(void)
{
    pthread_t thread;
    struct sw_profiler *sw = sw_open(NULL, NULL);
    pthread_create(&thread, NULL, loader, NULL);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_FORWARD);
    middle(0.12);
    sw_end(sw, SW_FORWARD);
    sw_begin(sw, SW_DRAW);
    load(0.03);
    sw_end(sw, SW_DRAW);
    sw_end(sw, SW_FIT);
    pthread_join(thread, NULL);
    return sw_close(sw, NULL) != 0;
}

static void *shortly(void *arg)
{
    load(0.012);
    return arg;
}

/* Each of them uses some ticks of the kernel. */
APART int threads(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, shortly, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}

/* ---- what goes on as before ---- */

static int wrong(const char *what)
{
    printf("%s\n", what);
    return 1;
}

static volatile sig_atomic_t ticks, jumped;
static sigjmp_buf place;

static void tick(int number)
{
    (void)number;
    ticks++;
}

/* Its own profile: sampling stops. */
APART int own_signal(void)
{
    struct sigaction action = {.sa_handler = tick}, old;
    struct itimerval often = {{0, 1000}, {0, 1000}};
    if (sigaction(SIGPROF, NULL, &old) != 0 || old.sa_handler != SIG_DFL)
        return wrong("SIGPROF was not free");
    matrix(0.25); /* the sampling begins a little later on a busy machine */
    if (sigaction(SIGPROF, &action, &old) != 0 || old.sa_handler != SIG_DFL)
        return wrong("SIGPROF could not be taken");
    matrix(0.05);
    if (ticks)
        return wrong("a signal of the timers came to the program");
    setitimer(ITIMER_PROF, &often, NULL);
    for (int i = 0; i < 100 && !ticks; i++)
        matrix(0.02);
    return ticks ? 0 : wrong("no signal of its own timer came");
}

static void jump(int number)
{
    (void)number;
    jumped++;
    siglongjmp(place, 1);
}

/* Timers, jumps out of handlers, waits. */
APART int others(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec often = {{0, 2000000}, {0, 2000000}}, never = {{0, 0}, {0, 0}};
    struct timespec little = {0, 20000000};
    timer_t timer;
    signal(SIGUSR1, jump);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    while (jumped < 20)
        if (sigsetjmp(place, 1) == 0)
            matrix(0.1);
    timer_settime(timer, 0, &never, NULL);
    if (nanosleep(&little, NULL) != 0 || poll(NULL, 0, 20) != 0)
        return wrong("a wait ended early");
    return 0;
}

static atomic_bool taken;

/* A thread that takes all signals does not meet that of the timers. */
static void *taker(void *arg)
{
    sigset_t all;
    int number = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    atomic_store(&taken, true); /* a signal before it would end the program */
    matrix(0.05);
    sigwait(&all, &number);
    *(int *)arg = number;
    return NULL;
}

APART int all_signals(void)
{
    pthread_t thread;
    int number = 0;
    if (pthread_create(&thread, NULL, taker, &number) != 0)
        return 1;
    do
        load(0.02);
    while (!atomic_load(&taken));
    pthread_kill(thread, SIGUSR2);
    pthread_join(thread, NULL);
    return number == SIGUSR2 ? 0 : wrong("sigwait() returned another signal");
}

/* A child, and programs that are started: none meets a signal. */
APART int children(void)
{
    for (int i = 0; i < 6; i++) {
        int status;
        pid_t pid = i % 2 ? vfork() : fork();
        if (pid == 0) {
            execl("/missing", "missing", (char *)NULL);
            execlp("true", "true", (char *)NULL);
            _exit(1);
        }
        load(0.005);
        if (waitpid(pid, &status, 0) != pid || status != 0)
            return wrong("a child failed");
    }
    pid_t pid = fork();
    if (pid == 0) {
        matrix(0.02);
        exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    if (status != 0)
        return wrong("a child that computes failed");
    execl("/missing", "missing", (char *)NULL);
    matrix(0.03);
    execl("/bin/true", "true", (char *)NULL);
    return wrong("no other program could be started");
}

/* A library that is unmapped before the end. */
APART int closed(void)
{
    void *library = dlopen("./closed.so", RTLD_NOW);
    int (*function)(void) = NULL;
    if (library)
        *(void **)&function = dlsym(library, "in_closed");
    if (!function || function() != 0)
        return wrong("no function in a library");
    return dlclose(library);
}

APART int killed(void)
{
    matrix(0.06);
    return kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = {{"train", train},
                 {"threads", threads},
                 {"own_signal", own_signal},
                 {"others", others},
                 {"all_signals", all_signals},
                 {"children", children},
                 {"killed", killed},
                 {"closed", closed}};
    if (argc > 1 && strcmp(argv[1], "deep") == 0)
        return recursive(1000, 0.06) < 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            return parts[i].run();
    return wrong("which part?");
}
