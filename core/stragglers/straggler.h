/* SPDX-License-Identifier: MIT */
/* straggler.h - finds the rank or host that keeps the others waiting. */
#ifndef CORE_STRAGGLERS_STRAGGLER_H
#define CORE_STRAGGLERS_STRAGGLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One action: what each rank took for it in each step. */
struct swi_rank_action {
    const char *name;
    int number;    /* the caller's */
    bool waits;    /* its time is waiting for other ranks */
    double *value; /* value[rank * steps + step], in any unit */
};

struct swi_rank_place {
    int64_t rank;
    const char *host;
};

/* Durations of each action in the training steps that all ranks have. */
struct swi_rank_durations {
    size_t ranks, steps, actions;
    const struct swi_rank_action *action;
    const struct swi_rank_place *place; /* of each rank */
};

/* How much slower than the median rank one or several ranks are. */
struct swi_slowness {
    const char *phase; /* the action with the largest loss; NULL: outside of the measured actions */
    double phase_part;
    double phase_loss; /* how much longer than the median rank they take in that action, per step */
    double late;       /* how much later than the median they arrive, per step */
    double gain;       /* if they were as fast as the next rank */
    const char *wait;  /* the action in which the others wait longest, or NULL */
    double last_part;  /* of the steps that count: those in which nobody arrives later */
    size_t last_ranks; /* how many other ranks are the last in some step */
    size_t high_steps, first_step, last_step; /* intermittent: indices of steps */
    size_t
        period; /* intermittent: distance of these steps, if it is nearly always the same, or 0 */
};

/* Ranks that are slow in most steps, and that the sentence names instead of the verdict's. */
struct swi_slow_group {
    size_t ranks;        /* 0: there are none */
    int64_t first, last; /* numbers of its first and its last rank */
    int64_t stride;      /* it is every so many-th rank between them; 0: no pattern */
    size_t hosts;        /* it is all ranks of so many hosts; 0: it is not */
    const char *first_host, *last_host; /* of these, or of the ranks */
    struct swi_slowness slow;
};

/* Steps in which some rank is late by far, besides those that are named. */
struct swi_rank_delays {
    size_t steps, of_steps; /* of how many steps */
    size_t ranks;           /* how many ranks are the last in them */
    size_t most;            /* in how many steps one of these ranks is the last */
    size_t period;          /* distance of these steps, if it is nearly always the same, or 0 */
    double lost;            /* share of the time that is lost to them, besides the named ranks */
};

struct swi_straggler {
    /* host, rank, intermittent, rotating, communication, spread, balanced, abstain */
    const char *verdict;
    const char *why; /* the reason to abstain: "no wait", "too little", "waits"; else NULL */
    bool has_shares; /* lost, communication and mirror are known */
    double lost, communication, mirror;
    bool named;       /* a rank or host is named: the rest is known */
    size_t rank;      /* index of the rank; for a host, of its first rank */
    const char *host; /* verdict host; else NULL */
    double confidence;
    struct swi_slowness slow;
    /* These are known if the shares are. */
    struct swi_slow_group group;
    struct swi_rank_delays delays;
};

/* Finds the straggler. Returns false if out of memory. */
bool swi_straggler_find(struct swi_straggler *found, const struct swi_rank_durations *data);

#endif
