/* SPDX-License-Identifier: MIT */
/* vforks.c - children of vfork() that call functions, which do not return. None of their calls is
 * counted, and the parent's calls keep their callers, whatever the parent does first. */
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

enum { TIMES = 10 };
static volatile int sink, failed;
static jmp_buf back;

static APART void leaf(int n)
{
    sink = n;
}

/* ---- in children ---- */

static APART void becomes_true(void)
{
    leaf(1);
    execl("/bin/true", "true", (char *)NULL);
    _exit(127);
}

static APART void leaves(void)
{
    leaf(1);
    _exit(0);
}

static APART void has_child(void)
{
    pid_t pid = vfork();
    if (pid == 0)
        leaves();
    leaf(1);
    int status;
    _exit(waitpid(pid, &status, 0) != pid || status != 0);
}

/* ---- in the parent ---- */

static __attribute__((no_instrument_function)) void wait_for(pid_t pid)
{
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        failed = 1;
}

/* First, it calls a function. */
static APART void calls(void)
{
    pid_t pid = vfork();
    if (pid == 0)
        becomes_true();
    leaf(2);
    wait_for(pid);
}

/* First, it returns. */
static APART void returns(pid_t *pid)
{
    *pid = vfork();
    if (*pid == 0)
        leaves();
}

/* First, it jumps. */
static APART void jumps(pid_t *pid)
{
    *pid = vfork();
    if (*pid == 0)
        has_child();
    longjmp(back, 1);
}

static APART void after(void)
{
    leaf(3);
}

int main(void)
{
    static pid_t pid;
    for (volatile int i = 0; i < TIMES; i++) {
        calls();
        after();
        returns(&pid);
        wait_for(pid);
        after();
        if (setjmp(back) == 0)
            jumps(&pid);
        wait_for(pid);
        after();
    }
    return failed;
}
