/* SPDX-License-Identifier: MIT */
/* A loop with actions: what a function does is in the profile of the action it was called in;
 * `begin_batch` and `end_batch` return while the region that they began is still open. */
#include <stepwatch/stepwatch.h>
#include <stddef.h>

static volatile int sink;

static void leaf(int n)
{
    for (int i = 0; i < n; i++)
        sink = i;
}

static void load(void)
{
    leaf(100);
    leaf(100);
}

static void layer(void)
{
    leaf(200);
}

static void forward(void)
{
    for (int i = 0; i < 3; i++)
        layer();
}

static void backward(void)
{
    layer();
    leaf(50);
}

static void begin_batch(struct sw_profiler *sw)
{
    leaf(10); /* in draw */
    sw_next(sw, SW_BATCH);
    leaf(10); /* in batch */
}

static void end_batch(struct sw_profiler *sw)
{
    leaf(10); /* in batch */
    sw_end_batch(sw, 4);
    leaf(10); /* in no action */
}

int main(void)
{
    struct sw_profiler *sw = sw_open(NULL, NULL);
    for (int step = 0; step < 10; step++) {
        sw_begin(sw, SW_DRAW);
        load();
        begin_batch(sw);
        sw_begin(sw, SW_FORWARD);
        forward();
        sw_next(sw, SW_BACKWARD);
        backward();
        sw_end(sw, SW_BACKWARD);
        end_batch(sw);
    }
    sw_close(sw, NULL);
    return 0;
}
