/* SPDX-License-Identifier: MIT */
/* straggler.h - who keeps the other ranks waiting. */
#ifndef CORE_BALANCE_STRAGGLER_H
#define CORE_BALANCE_STRAGGLER_H

#include <stdbool.h>
#include <stddef.h>

/* Durations of each action in the training steps that all ranks have. */
struct swi_rank_durations {
    size_t ranks, steps, actions;
    const char *const *action; /* names */
    const bool *wait;          /* whether an action's time is waiting for others */
    double *const *value;      /* value[action][rank * steps + step], in any unit */
    const char *const *host;   /* of each rank */
};

struct swi_straggler {
    const char
        *verdict; /* host, rank, intermittent, rotating, communication, spread, balanced, abstain */
    const char *why; /* it abstains: "no wait", "too little", "waits"; else NULL */
    bool has_shares; /* lost, communication and mirror are known */
    double lost, communication, mirror;
    bool named;       /* a rank or host is named: what follows is known */
    size_t rank;      /* index of the rank; for a host its first */
    const char *host; /* verdict host; else NULL */
    const char
        *phase; /* the action in which it loses most; NULL: outside of the measured actions */
    double phase_part, confidence, gain;
    double phase_loss; /* how much longer than the median rank it takes in that action, in a step */
    const char *wait;  /* the action in which the others wait longest; NULL: none is known */
    double late;       /* how much later than the median it comes, in a step */
    size_t high_steps, first_step, last_step; /* intermittent: indices of steps */
};

/* False without memory. */
bool swi_straggler_find(struct swi_straggler *found, const struct swi_rank_durations *data);

#endif
