/* SPDX-License-Identifier: MIT */
/* Puts a clock around every call of the library in a program: the linker's --wrap directs each call
 * here first. At the end, prints the time of the calls on the loop's thread. */
#include "bench/real/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static _Thread_local int64_t spent; /* ticks; printed for the thread that ends batches */
static int64_t loop_spent, steps, cost, began_ns, began_tick;
static _Thread_local bool inside; /* nested calls of the library count as one */

static __attribute__((constructor)) void start(void)
{
    cost = INT64_MAX;
    for (int i = 0; i < 10000; i++) {
        int64_t tick = fenced();
        tick = fenced() - tick;
        cost = tick < cost ? tick : cost;
    }
    began_ns = real_ns();
    began_tick = (int64_t)__rdtsc();
}

int64_t real_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#define WRAP(name, parameters, arguments)                                                          \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters                                                                  \
    {                                                                                              \
        bool outer = !inside;                                                                      \
        inside = true;                                                                             \
        int64_t tick = fenced();                                                                   \
        __real_##name arguments;                                                                   \
        spent += outer ? fenced() - tick - cost : 0;                                               \
        inside = !outer;                                                                           \
    }

WRAP(sw_begin, (struct sw_profiler * sw, int action), (sw, action))
WRAP(sw_next, (struct sw_profiler * sw, int action), (sw, action))
WRAP(sw_end, (struct sw_profiler * sw, int action), (sw, action))
WRAP(sw_cancel, (struct sw_profiler * sw, int action), (sw, action))
WRAP(sw_log, (struct sw_profiler * sw, const char *name, double value), (sw, name, value))

void __real_sw_end_batch(struct sw_profiler *sw, int64_t samples);
void __wrap_sw_end_batch(struct sw_profiler *sw, int64_t samples);
void __wrap_sw_end_batch(struct sw_profiler *sw, int64_t samples)
{
    int64_t tick = fenced();
    __real_sw_end_batch(sw, samples);
    spent += fenced() - tick - cost;
    loop_spent = spent;
    steps++;
}

static __attribute__((destructor)) void finish(void)
{
    double ns = (double)(real_ns() - began_ns) / (double)((int64_t)__rdtsc() - began_tick);
    fprintf(stderr, "digits_step ns %.6g\n", steps ? (double)loop_spent * ns / (double)steps : 0);
}
