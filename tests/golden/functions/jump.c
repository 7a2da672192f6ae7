/* SPDX-License-Identifier: MIT */
/* longjmp over three open calls, ten times; exit() within two calls at the end. */
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static volatile int sink;

static void leaf(void)
{
    sink++;
}

static void inner(int jump)
{
    leaf();
    if (jump)
        longjmp(back, 1);
}

static void middle(int jump)
{
    inner(jump);
    leaf();
}

static void outer(int jump)
{
    middle(jump);
    leaf();
}

static void after(void)
{
    leaf();
}

static void last(void)
{
    leaf();
    exit(0);
}

static void attempt(int jump)
{
    if (setjmp(back) == 0)
        outer(jump);
    after(); /* called by attempt, not by inner */
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        attempt(1);
    for (int i = 0; i < 3; i++)
        attempt(0);
    last();
    return 0;
}
