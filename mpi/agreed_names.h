/* SPDX-License-Identifier: MIT */
/* agreed_names.h - agrees on the names of the rows of all ranks. */
#ifndef MPI_AGREED_NAMES_H
#define MPI_AGREED_NAMES_H

#include "mpi/limited_wait.h"

/* What the ranks tell each other before they join their rows, in one message. */
struct swi_agreement {
    bool same_names;
    bool all_fine; /* each rank has a report */
    int64_t steps; /* steps that all have */
    int64_t block; /* the largest block */
    uint64_t hash; /* of this rank's names */
};

/* Collective. agreement has the values of this rank before, and those of all ranks after the call.
 */
int swi_agree(struct swi_limited_wait *wait, struct swi_agreement *agreement);

/* Returns the hash of names. */
uint64_t swi_names_hash(const char *names, size_t size);

/* Collective. names: sorted names of this rank, each with its NUL; size bytes. Set to the sorted
 * names that any rank has, in lent memory. */
int swi_names_join(struct swi_limited_wait *wait, const char **names, size_t *size);

#endif
