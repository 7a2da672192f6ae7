/* SPDX-License-Identifier: MIT */
/* rank_clocks.h - measures the offsets of the ranks' wall clocks from that of rank 0. */
#ifndef MPI_RANK_CLOCKS_H
#define MPI_RANK_CLOCKS_H

#include "mpi/limited_wait.h"

/* Collective. Tells rank 0 the host of each rank, and each rank whose clock is used for it. */
int swi_rank_clocks_init(struct swi_limited_wait *wait);

/* Collective. Compares the clocks and passes each rank's offset to its sinks. */
int swi_rank_clocks_compare(struct swi_limited_wait *wait);

#endif
