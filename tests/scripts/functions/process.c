/* SPDX-License-Identifier: MIT */
/* process.c - what a process may do while its functions are counted: the first argument says which.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The program is not C++: only the plugin sees the library of C++. */
static int plugin(void)
{
    void *library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*function)(int) = NULL;
    if (library)
        *(void **)&function = dlsym(library, "caught");
    return !function || function(3) != 3 || dlclose(library) != 0;
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
    if (strcmp(what, "plugin") == 0)
        return plugin();
    signal(SIGUSR1, handler);
    for (int i = 0; i < 10; i++)
        once();
    if (strcmp(what, "shell") == 0)
        return system("echo \"preloaded: \\\"$LD_PRELOAD\\\"\"");
    if (strcmp(what, "kill") == 0)
        kill(getpid(), SIGKILL);
    return 0;
}
