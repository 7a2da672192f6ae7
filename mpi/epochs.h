/* SPDX-License-Identifier: MIT */
/* epochs.h - sends totals of epochs to rank 0 without waiting. */
#ifndef MPI_EPOCHS_H
#define MPI_EPOCHS_H

#include "mpi/joined.h"

/* Passes what has arrived to the sinks of rank 0. Never waits. */
void swi_epochs_look(struct swi_joined *joined);

#endif
