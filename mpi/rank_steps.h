/* SPDX-License-Identifier: MIT */
/* rank_steps.h - the durations of the steps of all ranks, and who keeps the others waiting. */
#ifndef MPI_RANK_STEPS_H
#define MPI_RANK_STEPS_H

#include "core/balance/straggler.h"
#include "mpi/agreed_names.h"

/* What rank 0 finds out. Names are borrowed from those that were agreed on. */
struct swi_joined_steps {
    struct swi_straggler found;
    int64_t steps; /* that all ranks have */
    int64_t block; /* of how many the search saw the mean */
};

/* Collective. own: the steps of this rank; NULL: it has none. names: of all rows. On rank 0, fills
 * joined. */
int swi_rank_steps_join(struct swi_patience *patience, const struct sw_steps *own,
                        const struct swi_agreement *agreement, const char *names, size_t size,
                        struct swi_joined_steps *joined);

#endif
