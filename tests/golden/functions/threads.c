/* SPDX-License-Identifier: MIT */
/* Three threads of the same functions; one of them leaves by pthread_exit within two calls. */
#include <pthread.h>
#include <stddef.h>

static volatile int sink;

static void item(int n)
{
    for (int i = 0; i < n; i++)
        sink = i;
}

static void leave(void)
{
    item(1);
    pthread_exit(NULL);
}

static void work(long count)
{
    for (long i = 0; i < count; i++)
        item(20);
    if (count == 30)
        leave();
}

static void *body(void *arg)
{
    work((long)arg);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body, (void *)(10 * (i + 1)));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    work(4);
    return 0;
}
