/* SPDX-License-Identifier: MIT */
/* epochs.h - totals of epochs that are on their way to rank 0, and that nobody waits for. */
#ifndef MPI_EPOCHS_H
#define MPI_EPOCHS_H

#include "mpi/joined.h"

/* Gives the sinks of rank 0 what has arrived. Never waits. */
void swi_epochs_look(struct swi_joined *joined);

#endif
