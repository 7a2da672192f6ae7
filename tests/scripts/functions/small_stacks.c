/* SPDX-License-Identifier: MIT */
/* small_stacks.c - a program whose stacks have no room for a handler.
 *
 *     small_stacks thread      a thread of 16 KiB that uses half of them
 *     small_stacks coroutine   a coroutine of 8 KiB that uses 3 KiB; the memory below it is checked
 *
 * Works for a second of CPU time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum { GUARD = 8192, FILL = 90 };

static volatile double sum;
static ucontext_t outside, inside;

static int is_over(void)
{
    return clock() >= CLOCKS_PER_SEC;
}

static void eat(int bytes)
{
    volatile char block[512];
    memset((void *)block, bytes, sizeof block);
    if (bytes > 512)
        eat(bytes - 512);
    for (int i = 0; i < 200; i++)
        sum += block[i] * 1.0001;
}

static void *work(void *arg)
{
    while (!is_over())
        eat(8192);
    return arg;
}

static int in_thread(void)
{
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, 16384) != 0)
        return 77;
    return pthread_create(&thread, &attr, work, NULL) || pthread_join(thread, NULL);
}

static void coroutine(void)
{
    for (;;) {
        for (int i = 0; i < 200; i++)
            eat(3000);
        swapcontext(&inside, &outside);
    }
}

static int in_coroutine(void)
{
    enum { STACK = 8192 };
    char *memory = malloc(STACK + GUARD);
    if (!memory || getcontext(&inside) != 0)
        return 77;
    memset(memory, FILL, GUARD);
    inside.uc_stack.ss_sp = memory + GUARD;
    inside.uc_stack.ss_size = STACK;
    makecontext(&inside, coroutine, 0);
    while (!is_over())
        swapcontext(&outside, &inside);
    for (int i = 0; i < GUARD; i++)
        if (memory[i] != FILL)
            return 5;
    free(memory);
    return 0;
}

int main(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "thread") == 0 ? in_thread() : in_coroutine();
}
