/* SPDX-License-Identifier: MIT */
/* waits.c - threads that wait in many ways, for --functions=wall: the first argument says which. It
 * measures by itself how long its functions take, and prints NAME SECONDS; it says what is wrong,
 * and fails, if a wait is not as it would be without samples. */
#include <stepwatch/stepwatch.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

enum { MS = 1000000 };

static volatile double sum;
static int wrong;

static double time_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double now_s(void)
{
    return time_s(CLOCK_MONOTONIC);
}

static void expect(int is, const char *what)
{
    if (!is) {
        printf("%s: %s\n", what, strerror(errno));
        wrong = 1;
    }
}

APART void compute(double seconds, clockid_t clock)
{
    for (double end = time_s(clock) + seconds; time_s(clock) < end;)
        for (int i = 0; i < 2000; i++)
            sum = sum * 0.5 + i;
}

/* Returns how long it slept. Nothing may be left of the time. */
APART double doze(long ns)
{
    struct timespec time = {0, ns}, left = {0, 0};
    double began = now_s();
    expect(nanosleep(&time, &left) == 0 && left.tv_nsec == 0, "nanosleep");
    return now_s() - began;
}

/* ---- one thread that sleeps and computes ---- */

APART double sleeps(void)
{
    return doze(6 * MS);
}

APART double works(void)
{
    double began = now_s();
    compute(0.004, CLOCK_MONOTONIC);
    return now_s() - began;
}

APART void shares(void)
{
    double slept = 0, worked = 0;
    while (slept + worked < 0.6) {
        slept += sleeps();
        worked += works();
    }
    printf("sleeps %.4f\nworks %.4f\n", slept, worked);
}

/* ---- threads that wait in other ways, each in a function of its own ---- */

static int pipes[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t none;

static struct timespec later(long ms)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += ms * MS;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

APART void in_read(void)
{
    char byte;
    expect(read(pipes[0], &byte, 1) == 1, "read");
}

APART void in_poll(void)
{
    expect(poll(NULL, 0, 200) == 0, "poll");
}

APART void in_select(void)
{
    struct timeval time = {0, 200000};
    expect(select(0, NULL, NULL, NULL, &time) == 0, "select");
}

APART void in_epoll(void)
{
    struct epoll_event event;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    expect(epoll_wait(fd, &event, 1, 200) == 0, "epoll_wait");
    close(fd);
}

APART void in_condition(void)
{
    struct timespec time = later(200);
    pthread_mutex_lock(&lock);
    expect(pthread_cond_timedwait(&never, &lock, &time) == ETIMEDOUT, "pthread_cond_timedwait");
    pthread_mutex_unlock(&lock);
}

APART void in_semaphore(void)
{
    struct timespec time = later(200);
    expect(sem_timedwait(&none, &time) == -1 && errno == ETIMEDOUT, "sem_timedwait");
}

APART void in_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        doze(200 * MS);
        _exit(3);
    }
    int status = 0;
    expect(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3, "waitpid");
}

APART void in_usleep(void)
{
    expect(usleep(200000) == 0, "usleep");
}

static void *run(void *arg)
{
    void (*function)(void);
    memcpy(&function, arg, sizeof function);
    function();
    return NULL;
}

static void ways(void)
{
    static void (*const way[])(void) = {in_read,      in_poll,      in_select, in_epoll,
                                        in_condition, in_semaphore, in_child,  in_usleep};
    enum { WAYS = sizeof way / sizeof *way };
    pthread_t thread[WAYS];
    expect(pipe(pipes) == 0 && sem_init(&none, 0, 0) == 0, "pipe");
    for (int i = 0; i < WAYS; i++)
        pthread_create(&thread[i], NULL, run, (void *)&way[i]);
    doze(200 * MS);
    expect(write(pipes[1], "", 1) == 1, "write");
    for (int i = 0; i < WAYS; i++)
        pthread_join(thread[i], NULL);
}

/* ---- threads that come and go ---- */

static void *briefly(void *arg)
{
    doze(5 * MS);
    return arg;
}

static void come_and_go(void)
{
    double slept = 0;
    for (int i = 0; i < 25; i++) {
        pthread_t thread[4];
        double began = now_s();
        for (int k = 0; k < 4; k++)
            expect(pthread_create(&thread[k], NULL, briefly, NULL) == 0, "pthread_create");
        for (int k = 0; k < 4; k++)
            pthread_join(thread[k], NULL);
        slept += now_s() - began;
    }
    printf("briefly %.4f\n", 4 * slept);
}

/* ---- a thread that begins while another is still looking for a place ---- */

static atomic_bool is_slow;

/* The library marks the memory of a thread with this call. */
int madvise(void *at, size_t size, int advice)
{
    if (advice == MADV_WIPEONFORK && atomic_exchange(&is_slow, false))
        doze(200 * MS);
    return (int)syscall(SYS_madvise, at, size, advice);
}

static void *work_briefly(void *arg)
{
    compute(0.1, CLOCK_THREAD_CPUTIME_ID);
    return arg;
}

static void join_late(void)
{
    pthread_t late, soon;
    atomic_store(&is_slow, true);
    expect(pthread_create(&late, NULL, briefly, NULL) == 0, "pthread_create");
    while (atomic_load(&is_slow))
        doze(MS);
    expect(pthread_create(&soon, NULL, work_briefly, NULL) == 0, "pthread_create");
    pthread_join(soon, NULL);
    pthread_join(late, NULL);
}

/* ---- regions ---- */

static void train(void)
{
    struct sw_profiler *sw = sw_open(NULL, NULL);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_DRAW);
    doze(200 * MS);
    sw_next(sw, SW_FORWARD);
    double began = now_s();
    compute(0.1, CLOCK_THREAD_CPUTIME_ID);
    printf("forward %.4f\n", now_s() - began);
    sw_end(sw, SW_FORWARD);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}

/* ---- a program that may no longer look at itself ---- */

static void hidden(void)
{
    if (getuid() == 0)
        expect(setuid(65534) == 0, "setuid");
    prctl(PR_SET_DUMPABLE, 0);
    doze(50 * MS);
    compute(0.1, CLOCK_THREAD_CPUTIME_ID);
}

/* ---- another program ---- */

static void other(void)
{
    doze(20 * MS);
    execl("/missing", "missing", (char *)NULL);
    doze(20 * MS);
    execl("/bin/true", "true", (char *)NULL);
    expect(0, "execl");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"shares", shares}, {"ways", ways},     {"threads", come_and_go}, {"train", train},
                 {"other", other},   {"hidden", hidden}, {"late", join_late}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
            parts[i].run();
            return wrong;
        }
    return 2;
}
