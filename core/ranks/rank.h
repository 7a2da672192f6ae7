/* SPDX-License-Identifier: MIT */
/* rank.h - finds which process of a distributed run this is, from the variables of its launcher. */
#ifndef CORE_RANKS_RANK_H
#define CORE_RANKS_RANK_H

#include "core/ranks/launcher.h"

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ranks of the configuration. A size of 0: not given. */
struct swi_rank_given {
    int64_t rank, size;
};

/* Unknown numbers are -1. */
struct swi_rank {
    int64_t rank; /* 0 if it is not known */
    int64_t size, local_rank, local_size, node;
    int64_t attempt;      /* how often the job was restarted */
    const char *source;   /* "torch"; "configuration"; "none" */
    const char *variable; /* the variable with the rank; NULL if there is none */
    bool certain;  /* nothing contradicts the rank; otherwise the rank must not suppress its results
                    */
    char job[256]; /* "" if it is not known */
    /* An id of the step or job that is the same in all ranks: "7-0"; "" if it is not known. */
    char run[320];
    char warning[512]; /* a warning for the user, or "" */
};

/* Finds the rank. The variables are read now and not kept. */
void swi_rank_find(struct swi_rank *rank, const struct swi_rank_given *given,
                   const struct swi_variables *variables);

/* Finds the rank from the environment of this process. A setuid program reads nothing. */
void swi_rank_find_here(struct swi_rank *rank, const struct swi_rank_given *given);

/* Fills the fields of a run. Unknown sizes are 0 there, and the texts are borrowed. */
void swi_rank_tell(struct sw_run *run, const struct swi_rank *rank);

/* Writes "rank 3 of 8 (torch: RANK), local rank 1 of 4, node 0, job 7". Returns text. */
const char *swi_rank_describe(const struct swi_rank *rank, char *text, size_t size);

#endif
