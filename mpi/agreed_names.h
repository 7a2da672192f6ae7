/* SPDX-License-Identifier: MIT */
/* agreed_names.h - the names of the rows that any rank has, the same on all ranks. */
#ifndef MPI_AGREED_NAMES_H
#define MPI_AGREED_NAMES_H

#include "mpi/patience.h"

/* What all ranks know of each other before they join their rows: one message. */
struct swi_agreement {
    bool same_names;
    bool all_fine; /* each rank has a report */
    int64_t steps; /* that all have */
    int64_t block; /* the largest */
    uint64_t hash; /* of the own names */
};

/* Collective. In agreement are the values of this rank, and then those of all. */
int swi_agree(struct swi_patience *patience, struct swi_agreement *agreement);

/* Sets the hash of names. */
uint64_t swi_names_hash(const char *names, size_t size);

/* Collective. names: those of this rank, sorted, a NUL after each; size bytes. Sets them to those
 * that any rank has, sorted, in lent memory. */
int swi_names_join(struct swi_patience *patience, const char **names, size_t *size);

#endif
