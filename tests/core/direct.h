/* SPDX-License-Identifier: MIT */
/* direct.h - what a thread's calls of the loop add up to, counted at each call in the plainest way:
 * what the fold of its events must come to. */
#ifndef TESTS_CORE_DIRECT_H
#define TESTS_CORE_DIRECT_H

#include <stepwatch/stepwatch.h>

#include <stdbool.h>
#include <stdint.h>

enum { DIRECT_OWN = 6, DIRECT_ACTIONS = SW_BUILTIN_ACTIONS + DIRECT_OWN, DIRECT_DEPTH = 1024 };

/* How long something took, or how far the counter went. */
struct direct_use {
    int64_t ns, counted;
};

struct direct_sum {
    int64_t calls;
    struct direct_use total, self;
};

struct direct {
    bool loop;       /* the thread of the loop, in whose fit all this happens */
    int own;         /* the number of the first own action; the others follow */
    int depth, deep; /* open regions; begins for which there was no room */
    struct direct_open {
        int action, phase, since; /* since: how many had ended when it began */
        bool inner;
        struct direct_use start, inside;
    } open[DIRECT_DEPTH + 1];
    struct direct_ended { /* waits for the end of its step */
        int action, phase, number;
        bool inner;
        struct direct_use total, self;
    } * ended;
    int ended_count, ended_room, numbers;
    int step_from, drawing; /* of those that wait, the first of the open batch's phase */
    bool batch;             /* one is open */
    int phase, running;
    int64_t steps, counter;
    int64_t discarded, misuses;
    struct direct_sum sum[4][DIRECT_ACTIONS];
};

/* action: builtin, or one of the own. */
void direct_init(struct direct *direct, bool loop, int own, int64_t now);
void direct_free(struct direct *direct);
void direct_begin(struct direct *direct, int action, int64_t now);
void direct_next(struct direct *direct, int action, int64_t now);
void direct_end(struct direct *direct, int action, int64_t samples, int64_t now);
void direct_cancel(struct direct *direct, int action);
void direct_count(struct direct *direct, int64_t n);
void direct_pause(struct direct *direct, int64_t ticks);

#endif
