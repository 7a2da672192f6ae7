/* SPDX-License-Identifier: MIT */
/* rank_clocks.h - how far the wall clocks of the ranks are from that of rank 0. */
#ifndef MPI_RANK_CLOCKS_H
#define MPI_RANK_CLOCKS_H

#include "mpi/patience.h"

/* Collective: tells rank 0 the host of each rank, and each rank whose clock counts for it. */
int swi_rank_clocks_init(struct swi_patience *patience);

/* Collective: compares the clocks and tells each rank's sinks its offset. */
int swi_rank_clocks_compare(struct swi_patience *patience);

#endif
