/* SPDX-License-Identifier: MIT */
/* rank.h - which process of a distributed run this is, as its launcher says. */
#ifndef CORE_RANKS_RANK_H
#define CORE_RANKS_RANK_H

#include "core/ranks/launcher.h"

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the configuration says. A size of 0: nothing. */
struct swi_rank_given {
    int64_t rank, size;
};

/* Numbers that are not known are -1. */
struct swi_rank {
    int64_t rank; /* 0 where nobody says another */
    int64_t size, local_rank, local_size, node;
    int64_t attempt;      /* how often the job was started again */
    const char *source;   /* "torch"; "configuration"; "none" */
    const char *variable; /* that has the rank; NULL: none */
    bool certain;  /* nothing contradicts it: only then may a rank keep quiet about its results */
    char job[256]; /* "": not known */
    /* Of the step or job, the same in all ranks: "7-0"; "" if nothing says it. */
    char run[320];
    char warning[512]; /* what is odd about it, for people; "" */
};

/* Finds it. The variables are read now; nothing of them is kept. */
void swi_rank_find(struct swi_rank *rank, const struct swi_rank_given *given,
                   const struct swi_variables *variables);

/* The same by the environment of this process. A setuid program reads nothing. */
void swi_rank_find_here(struct swi_rank *rank, const struct swi_rank_given *given);

/* Fills the fields of a run that say it: unknown sizes are 0 there, and its texts are borrowed. */
void swi_rank_tell(struct sw_run *run, const struct swi_rank *rank);

/* "rank 3 of 8 (torch: RANK), local rank 1 of 4, node 0, job 7". Returns text. */
const char *swi_rank_describe(const struct swi_rank *rank, char *text, size_t size);

#endif
