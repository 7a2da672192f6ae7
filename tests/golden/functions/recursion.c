/* SPDX-License-Identifier: MIT */
/* Direct, mutual and indirect recursion; each count is known in advance. Build: CC -O1 -g
 * -finstrument-functions */
static volatile int sink;

static int leaf(int x)
{
    return sink = x + 1;
}

static int fib(int n)
{
    return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

static int odd(int n);

static int even(int n)
{
    return n == 0 ? 1 : odd(n - 1);
}

static int odd(int n)
{
    return n == 0 ? 0 : even(n - 1);
}

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

/* visit is called by main and by itself, and calls leaf at the bottom only. */
static void visit(int depth)
{
    if (depth == 0)
        leaf(0);
    else
        for (int i = 0; i < 2; i++)
            visit(depth - 1);
}

int main(void)
{
    fib(10);
    even(9);
    odd(4);
    ackermann(2, 3);
    visit(4);
    visit(0);
    return 0;
}
