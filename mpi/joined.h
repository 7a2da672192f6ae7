/* SPDX-License-Identifier: MIT */
/* joined.h - a profiler whose ranks are joined, and its communicators. */
#ifndef MPI_JOINED_H
#define MPI_JOINED_H

#include <stepwatch/mpi.h>

enum { SWI_HOST_SIZE = 64 };

/* Tags of messages between two ranks. */
enum { SWI_TAG_CLOCK = 1, SWI_TAG_GIVEN_UP };

struct swi_epochs_sent;

struct swi_joined {
    struct sw_profiler *sw;
    MPI_Comm comm;       /* a duplicate of the program's */
    MPI_Comm epoch_comm; /* for messages without waiting; MPI_COMM_NULL if there are none */
    MPI_Datatype row;    /* struct swi_rank_row */
    MPI_Op add_rows;     /* joins two of them */
    int rank, size;
    struct sw_mpi_options options;
    bool broken; /* not all ranks arrived in time: the communicators are not used any more */
    char (*host)[SWI_HOST_SIZE]; /* rank 0: the host of each rank */
    int *leader;                 /* rank 0: for each rank, the rank whose clock is used */
    int own_leader;
    struct swi_epochs_sent *sent; /* epochs that are being sent, the oldest first */
    struct swi_joined *next;
};

/* Returns the joined ranks of a profiler, or NULL. */
struct swi_joined *swi_joined_find(const struct sw_profiler *sw);

/* Keeps it in place of an earlier one of the same profiler. */
void swi_joined_keep(struct swi_joined *joined);

/* Checks whether the calling thread may call MPI now. Returns 0 or SW_EINVAL. */
int swi_joined_allowed(struct sw_error *err);

#endif
