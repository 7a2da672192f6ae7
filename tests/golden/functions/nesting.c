/* SPDX-License-Identifier: MIT */
/* No recursion; a leaf with three callers, a function pointer, and libc in between (qsort). */
#include <stdlib.h>

static volatile int sink;

static void spin(int n)
{
    for (int i = 0; i < n; i++)
        sink = i;
}

static void leaf(int n)
{
    spin(n);
}

static void forward(void)
{
    leaf(300);
    leaf(200);
    spin(100);
}

static void backward(void)
{
    for (int i = 0; i < 3; i++)
        leaf(100);
}

static void epoch(void (*last)(int))
{
    for (int i = 0; i < 5; i++) {
        forward();
        backward();
    }
    last(50);
}

static int compare(const void *a, const void *b)
{
    sink++;
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    epoch(leaf);
    epoch(spin);
    int two[] = {2, 1};
    qsort(two, 2, sizeof *two, compare); /* one comparison */
    return 0;
}
