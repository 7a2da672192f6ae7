/* SPDX-License-Identifier: MIT */
/* process.c - what a process may do while its functions are counted: the first argument says which.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define APART __attribute__((noinline))

static volatile int sink;

static int leaf(int n)
{
    return sink = n;
}

static int down(int n)
{
    return n ? down(n - 1) + 1 : leaf(n);
}

static void handler(int number)
{
    leaf(number);
}

static void once(void)
{
    raise(SIGUSR1);
}

/* The child's calls are not in the parent's profile. */
static int child(void)
{
    leaf(1);
    pid_t pid = fork();
    if (pid == 0) {
        leaf(2);
        leaf(3);
        exit(0);
    }
    waitpid(pid, NULL, 0);
    return leaf(4);
}

/* One library after the other, at the same place. */
static int libraries(void)
{
    for (int i = 0; i < 100; i++) {
        void *library = dlopen(i % 2 ? "./b.so" : "./a.so", RTLD_NOW);
        int (*function)(int) = NULL;
        if (library)
            *(void **)&function = dlsym(library, i % 2 ? "in_b" : "in_a");
        if (!function)
            return 1;
        function(i);
        dlclose(library);
    }
    return 0;
}

/* Comes and goes at ever new places. */
static void *one_library(void *path)
{
    for (int i = 0; i < 50; i++) {
        mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        void *library = dlopen(path, RTLD_NOW);
        int (*function)(int) = NULL;
        *(void **)&function = dlsym(library, "in_a");
        function(i);
        dlclose(library);
    }
    return NULL;
}

/* Threads that do not wait for each other, each with its own copy of the library. */
static int library_threads(void)
{
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    char path[THREADS][16];
    for (int i = 0; i < THREADS; i++) {
        snprintf(path[i], sizeof path[i], "./a%d.so", i);
        if (pthread_create(&thread[i], NULL, one_library, path[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* The program is not C++: only the plugin sees the library of C++. */
static int plugin(void)
{
    void *library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*function)(int) = NULL;
    if (library)
        *(void **)&function = dlsym(library, "caught");
    return !function || function(3) != 3 || dlclose(library) != 0;
}

static jmp_buf outside, one[600];

static void attempt(int i)
{
    if (setjmp(one[i]) == 0)
        leaf(i);
}

static void attempts(void)
{
    for (int i = 0; i < 600; i++)
        attempt(i);
    longjmp(outside, 1);
}

static void nested(int n)
{
    if (setjmp(one[n]) != 0)
        return;
    if (n)
        nested(n - 1);
    else
        longjmp(outside, 1);
}

/* The linker's name is not shown. */
void landed(void) __asm__("landed_for_the_linker");

void landed(void)
{
    leaf(1);
}

/* Places to jump to: of many functions that have returned, and of many that have not. */
static int jumps(void)
{
    if (setjmp(outside) == 0)
        attempts();
    landed();
    if (setjmp(outside) == 0)
        nested(400);
    landed();
    return 0;
}

static volatile int waiting, expirations, in_the_midst;
static sigjmp_buf expiry;

static void expired(int number)
{
    (void)number;
    expirations++;
    if (waiting)
        siglongjmp(expiry, 1);
}

/* The library calls this while it makes a context: a signal comes at the worst time. */
__attribute__((no_instrument_function)) int madvise(void *from, size_t size, int advice)
{
    if (waiting) {
        in_the_midst++;
        kill(getpid(), SIGALRM);
    }
    return (int)syscall(SYS_madvise, from, size, advice);
}

/* Each bit of `way` says who is called next, so each number makes another path of callers. */
static void even(unsigned way, int n);

static void odd(unsigned way, int n)
{
    if (n)
        (way & 1 ? odd : even)(way >> 1, n - 1);
}

static void even(unsigned way, int n)
{
    if (n)
        (way & 1 ? odd : even)(way >> 1, n - 1);
}

/* A signal ends what takes too long, wherever it is. */
static int timeouts(void)
{
    enum { WAYS = 10000000 };
    volatile unsigned way = 0;
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = expired};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (in_the_midst < 100 && way < WAYS) {
        if (sigsetjmp(expiry, 1) == 0)
            for (waiting = 1; way < WAYS; way++)
                even(way, 14);
        waiting = 0;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    if (in_the_midst < 100)
        return 1;
    for (int i = 0; i < 1000; i++)
        landed();
    printf("expired %d\n", expirations);
    return 0;
}

/* A signal comes after each instruction, so also after each one of the hooks. */
static volatile int trapped;

static void trap(int number)
{
    trapped++;
    leaf(number);
}

static APART void caller(void)
{
    leaf(1);
    leaf(2);
}

static APART void stepped(void)
{
#if defined(__x86_64__)
    enum { TRAP_FLAG = 0x100 };
    for (int i = 0; i < 3; i++) {
        caller();
        __writeeflags(__readeflags() | TRAP_FLAG);
        caller();
        __writeeflags(__readeflags() & ~(unsigned long long)TRAP_FLAG);
    }
#endif
}

static int steps(void)
{
    signal(SIGTRAP, trap);
    stepped();
    printf("trapped %d\n", trapped);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "deep") == 0)
        return down(100000) != 100000;
    if (strcmp(what, "fork") == 0)
        return child() != 4;
    if (strcmp(what, "dlclose") == 0)
        return libraries();
    if (strcmp(what, "dlclose-threads") == 0)
        return library_threads();
    if (strcmp(what, "plugin") == 0)
        return plugin();
    if (strcmp(what, "jumps") == 0)
        return jumps();
    if (strcmp(what, "timeouts") == 0)
        return timeouts();
    if (strcmp(what, "steps") == 0)
        return steps();
    signal(SIGUSR1, handler);
    for (int i = 0; i < 10; i++)
        once();
    if (strcmp(what, "shell") == 0)
        return system("echo \"preloaded: \\\"$LD_PRELOAD\\\"\"");
    if (strcmp(what, "kill") == 0)
        kill(getpid(), SIGKILL);
    return 0;
}
