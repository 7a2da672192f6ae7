/* SPDX-License-Identifier: MIT */
/* rank_steps.h - gathers the durations of the steps of all ranks, and finds the straggler. */
#ifndef MPI_RANK_STEPS_H
#define MPI_RANK_STEPS_H

#include "core/stragglers/straggler.h"
#include "mpi/agreed_names.h"

/* The results on rank 0. Names are borrowed from the agreed names. */
struct swi_joined_steps {
    struct swi_straggler found;
    int64_t steps; /* steps that all ranks have */
    int64_t block; /* the search used means of this many steps */
};

/* Collective. own: the steps of this rank, or NULL. names: of all rows. Fills joined on rank 0. */
int swi_rank_steps_join(struct swi_limited_wait *wait, const struct sw_steps *own,
                        const struct swi_agreement *agreement, const char *names, size_t size,
                        struct swi_joined_steps *joined);

#endif
