/* SPDX-License-Identifier: MIT */
/* What no profiler in a shared library can be faster than: calls that only touch the memory that
 * each such call has to. The library's code, the program's table of addresses, the calling thread's
 * block and what a thread measures are in different pages of every program, so here they are, too.
 */
#include "bench/real/real.h"

#include <stdlib.h>

enum { PAGE = 4096, REGIONS = 7, LINE = 64 };

/* One action of one thread: five cache lines, for sums, a bin of the durations, sums of rates, a
 * bin of the rates, and the rolling averages. */
struct floor_action {
    struct {
        _Alignas(LINE) uint64_t count;
        int64_t sum;
        double squares;
    } line[5];
};

struct floor_state {
    _Alignas(PAGE) int64_t start;
    struct floor_action action[REGIONS];
};

static _Thread_local struct floor_state *state;

static __attribute__((noinline, aligned(PAGE))) void begin(void)
{
    state->start = (int64_t)__rdtsc();
}

static void add(struct floor_action *action, int line, int64_t value)
{
    action->line[line].count++;
    action->line[line].sum += value;
    action->line[line].squares += (double)value * (double)value;
}

static __attribute__((noinline)) void end(void)
{
    int64_t now = (int64_t)__rdtsc();
    add(state->action, 0, now - state->start);
}

static __attribute__((noinline)) void end_batch(void)
{
    int64_t ticks = (int64_t)__rdtsc() - state->start;
    for (int i = 0; i < REGIONS; i++)
        for (int line = 0; line < 5; line++)
            add(&state->action[i], line, ticks);
}

/* As a program has them: in a page of its own. */
static struct {
    _Alignas(PAGE) void (*volatile begin)(void);
    void (*volatile end)(void);
    void (*volatile end_batch)(void);
} addresses = {begin, end, end_batch};

void floor_open(void)
{
    state = aligned_alloc(PAGE, sizeof *state);
    if (!state)
        exit(1);
    *state = (struct floor_state){0};
}

void floor_close(void)
{
    free(state);
}

void floor_begin(void)
{
    addresses.begin();
}

void floor_end(void)
{
    addresses.end();
}

void floor_end_batch(void)
{
    addresses.end_batch();
}
