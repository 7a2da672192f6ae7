/* SPDX-License-Identifier: MIT */
/* eight - eight functions that call each other in a tree; see fib.c. */
#include "work.h"

#define APART __attribute__((noinline, noclone))

static volatile int sum;

static APART void leaf_a(int i)
{
    sum += i;
}

static APART void leaf_b(int i)
{
    sum ^= i;
}

static APART void leaf_c(int i)
{
    sum -= i;
}

static APART void leaf_d(int i)
{
    sum |= i;
}

static APART void left(int i)
{
    leaf_a(i);
    leaf_b(i);
}

static APART void right(int i)
{
    leaf_c(i);
    leaf_d(i);
}

static APART void both(int i)
{
    left(i);
    right(i);
}

static APART void top(int i)
{
    both(i);
}

long WORK_PLAIN work(void)
{
    for (int i = 0; i < 2500; i++)
        top(i);
    return 20000;
}
