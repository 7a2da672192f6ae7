/* SPDX-License-Identifier: MIT */
/* rank.h - which process of a distributed program this one is, as its launcher says. */
#ifndef SINKS_WANDB_RUN_RANK_H
#define SINKS_WANDB_RUN_RANK_H

struct swi_wandb_rank {
    long rank;         /* 0 where no launcher says another */
    const char *from;  /* the variable that says so; NULL: none does */
    char warning[512]; /* what is odd about it, for people; "" */
};

/* Asks RANK (torchrun), OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK and SLURM_PROCID, in this order:
 * the first that is a number from 0 counts. Warns of one that is no rank, and of this process being
 * the first by one variable and another by the next: then every process may take itself for it. */
void swi_wandb_rank_find(struct swi_wandb_rank *rank);

/* What all ranks of one job have in common, and no other job; NULL where the launcher says nothing
 * of that kind. */
const char *swi_wandb_rank_job(void);

#endif
