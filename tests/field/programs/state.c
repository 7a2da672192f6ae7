/* SPDX-License-Identifier: MIT */
/* state.c - preloaded, it puts a program into a state that no exec inherits, before main():
 *
 *     FIELD_STATE=WORD
 *
 * traps    division by zero, invalid and overflow raise SIGFPE, as with feenableexcept()
 * flushed  denormal numbers are 0, as with -ffast-math
 * upward   numbers are rounded up
 * umask    a thread changes the umask all the time
 * forked   main() runs in a child, as in a server that forks before it serves
 * guarded  other processes may not look into this one, and its files in /proc belong to root */
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
static void flush_denormals(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
}
#else
static void flush_denormals(void)
{
}
#endif

static void *change_umask(void *arg)
{
    static const mode_t masks[] = {0, 077, 0777, 022};
    const struct timespec pause = {0, 200000};
    for (unsigned i = 0;; i++) {
        umask(masks[i % 4]);
        nanosleep(&pause, NULL);
    }
    return arg;
}

static void go_on_in_child(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        return;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

__attribute__((constructor)) static void begin(void)
{
    const char *word = getenv("FIELD_STATE");
    pthread_t thread;
    if (!word)
        return;
    if (strcmp(word, "traps") == 0)
        feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    if (strcmp(word, "flushed") == 0)
        flush_denormals();
    if (strcmp(word, "upward") == 0)
        fesetround(FE_UPWARD);
    if (strcmp(word, "forked") == 0)
        go_on_in_child();
    if (strcmp(word, "guarded") == 0)
        prctl(PR_SET_DUMPABLE, 0);
    if (strcmp(word, "umask") == 0 && pthread_create(&thread, NULL, change_umask, NULL) == 0)
        pthread_detach(thread);
}
