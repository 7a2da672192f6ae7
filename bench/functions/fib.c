/* SPDX-License-Identifier: MIT */
/* fib - a function that only calls itself: what a call costs, in the way that it is compiled and
 * run. Prints nanoseconds a call, the least of some repeats. An argument: how many calls at least.
 */
#include "work.h"

static __attribute__((noinline, noclone)) int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

long WORK_PLAIN work(void)
{
    volatile int n = 20;
    volatile int result = fib(n);
    (void)result;
    return 21891;
}
