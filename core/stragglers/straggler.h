/* SPDX-License-Identifier: MIT */
/* straggler.h - finds the rank or host that keeps the others waiting. */
#ifndef CORE_STRAGGLERS_STRAGGLER_H
#define CORE_STRAGGLERS_STRAGGLER_H

#include <stdbool.h>
#include <stddef.h>

/* Durations of each action in the training steps that all ranks have. */
struct swi_rank_durations {
    size_t ranks, steps, actions;
    const char *const *action; /* names */
    const bool *wait;          /* whether an action's time is waiting for other ranks */
    double *const *value;      /* value[action][rank * steps + step], in any unit */
    const char *const *host;   /* of each rank */
};

struct swi_straggler {
    /* host, rank, intermittent, rotating, communication, spread, balanced, abstain */
    const char *verdict;
    const char *why; /* the reason to abstain: "no wait", "too little", "waits"; else NULL */
    bool has_shares; /* lost, communication and mirror are known */
    double lost, communication, mirror;
    bool named;        /* a rank or host is named: the rest is known */
    size_t rank;       /* index of the rank; for a host, of its first rank */
    const char *host;  /* verdict host; else NULL */
    const char *phase; /* the action with the largest loss; NULL: outside of the measured actions */
    double phase_part, confidence, gain;
    double phase_loss; /* how much longer than the median rank it takes in that action, per step */
    const char *wait;  /* the action in which the others wait longest, or NULL */
    double last_part;  /* of the steps that count: those in which nobody arrives later */
    size_t last_ranks; /* how many other ranks are the last in some step */
    double late;       /* how much later than the median it arrives, per step */
    size_t high_steps, first_step, last_step; /* intermittent: indices of steps */
};

/* Finds the straggler. Returns false if out of memory. */
bool swi_straggler_find(struct swi_straggler *found, const struct swi_rank_durations *data);

#endif
